/** The answer to a chart's question: its columns, and all of it as one JSON text, the same bytes for every viewer. */
import { CHART_LIMITS } from "../contract/charts.ts";
import { ApiError } from "../contract/errors.ts";
import { StatementRefused } from "../engines/user-sql/statement-refused.ts";
import { collectInSlices, stringifyInSlices } from "../lib/time-slices.ts";
import type { ReportAnswer } from "../query/run/run-report.ts";
import { readValueRows, splitValues, type ValueRows } from "../query/sql/value-rows.ts";

export interface Column {
  readonly name: string;
  /** As ClickHouse names it. */
  readonly type: string;
}

export interface ChartAnswer {
  readonly columns: readonly Column[];
  readonly rows: number;
  /** `{meta, data, rows}`, and `imported` where the report has it. */
  readonly text: string;
}

type OfReport = Pick<ReportAnswer, "meta" | "data" | "imported">;

export async function ofReport({ meta, data, imported }: OfReport): Promise<ChartAnswer> {
  return toAnswer(meta, await stringifyInSlices(data), data.length, imported);
}

/** The rows as `POST /v0/query` writes them. Takes the stream. */
export async function ofStatement(body: AsyncIterable<Buffer>): Promise<ChartAnswer> {
  const { rows: most, answerChars } = CHART_LIMITS;
  const { columns, rows, isWhole } = await readRows(body, (count, chars) => count > most || chars > answerChars);
  if (rows.length > most) throw new ApiError("BAD_REQUEST", `A chart has at most ${most} rows: add a LIMIT`);
  if (!isWhole) throw tooLarge();
  const names = columns.map(({ name }) => JSON.stringify(name));
  const objects = await collectInSlices(toObjects(names, rows));
  return toAnswer(columns, `[${objects.join(",")}]`, rows.length);
}

/** Its columns, and how many rows it has, up to `most`. Takes the stream, and reads no more of it. */
export async function shapeOf(
  body: AsyncIterable<Buffer>,
  most: number,
): Promise<Pick<ChartAnswer, "columns" | "rows">> {
  const { answerChars } = CHART_LIMITS;
  const { columns, rows } = await readRows(body, (count, chars) => count >= most || chars > answerChars);
  return { columns, rows: Math.min(rows.length, most) };
}

/** A statement may also be refused when its first rows have come. */
async function readRows(
  body: AsyncIterable<Buffer>,
  isEnough: (rows: number, chars: number) => boolean,
): Promise<ValueRows> {
  try {
    return await readValueRows(body, isEnough);
  } catch (cause) {
    if (!(cause instanceof StatementRefused)) throw cause;
    throw new ApiError("BAD_REQUEST", cause.message, { param: "body.query", cause });
  }
}

function* toObjects(names: readonly string[], rows: readonly string[]): Iterable<string> {
  for (const row of rows) {
    const values = splitValues(row);
    yield `{${names.map((name, at) => `${name}:${values[at]}`).join(",")}}`;
  }
}

function toAnswer(
  columns: readonly Column[],
  data: string,
  rows: number,
  imported?: ReportAnswer["imported"],
): ChartAnswer {
  const meta = columns.map(({ name, type }) => ({ name, type }));
  const note = imported === undefined ? "" : `,"imported":${JSON.stringify(imported)}`;
  const text = `{"meta":${JSON.stringify(meta)},"data":${data},"rows":${rows}${note}}`;
  if (text.length > CHART_LIMITS.answerChars) throw tooLarge();
  return { columns: meta, rows, text };
}

function tooLarge(): ApiError {
  return new ApiError("BAD_REQUEST", `A chart has at most ${CHART_LIMITS.answerChars} characters: add a LIMIT`);
}
