/** Runs a planned statement and writes its answer in pieces. */
import type { DuckDBConnection, DuckDBResult } from "@duckdb/node-api";
import { FORMATS } from "../../user-sql/formats.ts";
import { StatementRefused } from "../../user-sql/statement-refused.ts";
import type { UserQuery } from "../../user-sql/user-query.ts";
import type { PlannedStatement } from "./planner-messages.ts";
import type { Planners } from "./planners.ts";

/** A piece of an answer: between two of them the process does other work. */
const PIECE_CHARS = 128 * 1024;

interface Execution {
  readonly planners: Planners;
  readonly connection: DuckDBConnection;
  /** Aborted with the error that the caller sees. */
  readonly stop: AbortSignal;
}

/** Pieces of the answer, until `stop` ends it. */
export async function* execute(
  { planners, connection, stop }: Execution,
  query: UserQuery,
  startedAt: number,
): AsyncGenerator<Buffer> {
  const { sql, defaultRows, relations, format: formatName } = query;
  const asked = { sql, defaultRows, relations, format: formatName };
  const goOn = () => stop.throwIfAborted();
  const plan = await planners.plan({ ...asked, part: "page" }, stop);
  const values = valuesOf(plan, query);
  goOn();
  await connection.run("BEGIN TRANSACTION READ ONLY");
  const result = await connection.stream(plan.sql, values);
  const format = FORMATS[formatName];
  let rows = 0;
  for await (const piece of readPieces(result, format.head(plan.columns), format.separator, plan.limit)) {
    goOn();
    rows = piece.rows;
    yield piece.bytes;
  }
  goOn();
  await expectWhole(connection);
  const { limit, offset, hasLimit } = plan;
  const hasMore = rows > limit;
  const returned = Math.min(rows, limit);
  const least = rows === 0 ? 0 : offset + rows;
  const isKnown = !hasMore && (returned > 0 || offset === 0);
  const readTotal = async () => {
    const counting = await planners.plan({ ...asked, part: "total" }, stop);
    return countRows(counting.sql, { connection, values, least, startedAt, query });
  };
  const total = isKnown || !format.needsTotal ? least : await readTotal();
  goOn();
  const summary = { total, limit, offset, hasMore: offset + returned < total, isCut: hasMore && !hasLimit };
  yield Buffer.from(format.tail(summary, returned > 0));
}

/**
 * A statement that fails after its first rows has simply no more of them: the binding does not tell. Its transaction
 * does, which is aborted then.
 */
async function expectWhole(connection: DuckDBConnection): Promise<void> {
  try {
    await connection.run("SELECT 1");
  } catch (cause) {
    throw new StatementRefused(
      "The query failed after its first rows: a value cannot be computed, or it needs more memory than a query may use",
      { cause },
    );
  }
}

function valuesOf({ readsProject }: PlannedStatement, { project }: UserQuery): Record<string, string> {
  return readsProject ? { project_id: project.id, first_day: project.firstDay } : {};
}

/** Rows up to `limit`; `rows` counts also the one after them. */
async function* readPieces(
  result: DuckDBResult,
  head: string,
  separator: string,
  limit: number,
): AsyncGenerator<{ bytes: Buffer; rows: number }> {
  let text = head;
  let rows = 0;
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    const vector = chunk.getColumnVector(0);
    const count = chunk.rowCount;
    for (let row = 0; row < count; row += 1) {
      rows += 1;
      if (rows > limit) break;
      text += (rows === 1 ? "" : separator) + String(vector.getItem(row));
      if (text.length < PIECE_CHARS) continue;
      yield { bytes: Buffer.from(text), rows };
      text = "";
    }
  }
  yield { bytes: Buffer.from(text), rows };
}

interface Counting {
  readonly connection: DuckDBConnection;
  readonly values: Record<string, string>;
  readonly least: number;
  readonly startedAt: number;
  readonly query: UserQuery;
}

/** All rows of a statement; `least` if counting them takes longer than the rest of the time. */
async function countRows(sql: string, { connection, values, least, startedAt, query }: Counting): Promise<number> {
  const leftMs = query.timeoutMs * 0.9 - (performance.now() - startedAt);
  let isLate = leftMs <= 0;
  if (isLate) return least;
  const timer = setTimeout(() => {
    isLate = true;
    connection.interrupt();
  }, leftMs);
  try {
    const reader = await connection.runAndReadAll(sql, values);
    return Math.max(least, Number(reader.getRows()[0]?.[0]));
  } catch (cause) {
    if (isLate) return least;
    throw cause;
  } finally {
    clearTimeout(timer);
  }
}
