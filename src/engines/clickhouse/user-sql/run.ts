/**
 * Users' statements on ClickHouse. The check is that of the embedded engine, by DuckDB's parser: both engines take the
 * same statements, and what ClickHouse executes is printed here from the checked tree.
 */
import { Readable } from "node:stream";
import { EngineBusy, EngineRefused } from "../../failures.ts";
import type { Relations } from "../../relations.ts";
import type { SelectParams } from "../../select.ts";
import { findAnswerTypes } from "../../user-sql/check/answer-types.ts";
import { checkStatement } from "../../user-sql/check/check-statement.ts";
import { toParserText } from "../../user-sql/check/clickhouse-syntax.ts";
import type { CheckedQuery, TableTrees } from "../../user-sql/check/context.ts";
import { openParser, type Parser } from "../../user-sql/check/parser.ts";
import { readTableTrees } from "../../user-sql/check/table-trees.ts";
import { type Node, refuse } from "../../user-sql/check/tree.ts";
import { writtenColumns } from "../../user-sql/check/written-names.ts";
import { type AnswerColumn, FORMATS } from "../../user-sql/formats.ts";
import { StatementRefused } from "../../user-sql/statement-refused.ts";
import type { RunUserQuery, UserQuery } from "../../user-sql/user-query.ts";
import type { Clickhouse } from "../database.ts";
import { constantSql } from "./constant-relations.ts";
import { hideAliases } from "./hide-aliases.ts";
import { namesOfTables, spellNames } from "./known-names.ts";
import { type ProjectRelations, printQuery, projectRelation } from "./print.ts";
import { hasGroupingCall, hasGroupingSets, hasRelation } from "./select-parts.ts";
import { USER_SETTINGS } from "./settings.ts";

type ReportRelations = Pick<Relations, "forReport">;

interface Checker {
  readonly parser: Parser;
  readonly tables: TableTrees;
  readonly names: ReadonlySet<string>;
}

/** What our own tables read. */
const INNER: readonly string[] = ["project_events", "project_sessions"];
const LAST_DAY = "2149-06-05";
const PIECE_BYTES = 128 * 1024;

export function createRunUserQuery(
  clickhouse: Pick<Clickhouse, "stream" | "select">,
  relations: ReportRelations,
): RunUserQuery {
  let opening: Promise<Checker> | undefined;
  const open = async () => {
    opening ??= openChecker();
    try {
      return await opening;
    } catch (cause) {
      opening = undefined;
      throw cause;
    }
  };
  return async (query, signal) => {
    const { parser, tables, names } = await open();
    const added = (query.relations ?? []).map(({ name, columns: given }) => {
      const columns = given.map((column) => column.name);
      return [name, { ...ownRelation(name), columns }] as const;
    });
    const known = added.length === 0 ? tables : new Map([...tables, ...added]);
    const parsed = await parser.parse(toParserText(query.sql));
    const statement = checkStatement(parsed, known, query.defaultRows, writtenColumns(query.sql));
    const columns = (query.relations ?? []).flatMap((relation) => relation.columns.map(({ name }) => name));
    const tree = spellNames(statement.page, names, columns);
    const { sqlOf, params } = await readRelations(relations, tree, query, signal);
    const options = { params, signal, timeoutMs: query.timeoutMs, settings: settingsOf(query, tree) };
    const asked = async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        return await work();
      } catch (cause) {
        signal.throwIfAborted();
        throw toPublic(cause, query);
      }
    };
    const page = printQuery(tree, sqlOf);
    const body = await asked(() => clickhouse.stream(page, { ...options, format: rowFormat(query) }));
    const countRows = async () => {
      const counted = printQuery(spellNames(statement.total, names, columns), sqlOf);
      const { rows } = await asked(() => clickhouse.select<Record<string, number>>(counted, options));
      return Number(Object.values(rows[0] ?? {})[0] ?? 0);
    };
    return Readable.from(answer(body, query, { ...statement, types: findAnswerTypes(statement.page) }, countRows), {
      objectMode: false,
    });
  };
}

function settingsOf({ format }: UserQuery, tree: Node) {
  return {
    ...USER_SETTINGS,
    // Integers that a number of JSON would change are texts.
    ...(format === "rows" ? { output_format_json_quote_64bit_integers: 1, output_format_json_quote_decimals: 1 } : {}),
    // A row of another grouping set has NULL. With this setting ClickHouse refuses every `grouping(...)`.
    ...(hasGroupingSets(tree) && !hasGroupingCall(tree) ? { group_by_use_nulls: 1 } : {}),
  };
}

async function openChecker(): Promise<Checker> {
  const parser = await openParser();
  const inner = new Map(INNER.map((name) => [name, ownRelation(name)]));
  const tables = hideAliases(await readTableTrees(parser.parse, inner));
  return { parser, tables, names: namesOfTables(tables) };
}

function ownRelation(name: string): CheckedQuery {
  return { node: projectRelation(name), width: 60, weight: 1 };
}

/** The rows of the project, as the relations of its reports. A statement without tables, such as SELECT 1, needs none. */
async function readRelations(
  relations: ReportRelations,
  tree: Node,
  { project, relations: added = [] }: UserQuery,
  signal: AbortSignal,
): Promise<{ sqlOf: ProjectRelations; params: SelectParams }> {
  const scope = { projects: [{ ...project, withoutBots: false }], firstDay: project.firstDay, lastDay: LAST_DAY };
  const isNeeded = hasRelation(tree, INNER);
  const { ctes, params } = isNeeded ? await relations.forReport(scope, signal) : { ctes: [], params: {} };
  const sqlOf = (name: string) => {
    const constant = added.find((relation) => relation.name === name);
    if (constant !== undefined) return constantSql(constant);
    const { sql } = ctes.find((cte) => `project_${cte.name}` === name) ?? refuse(`There is no relation ${name}`);
    return sql;
  };
  return { sqlOf, params };
}

function rowFormat({ format }: UserQuery): string {
  return ROW_FORMATS[FORMATS[format].rows];
}

const ROW_FORMATS = {
  object: "JSONEachRow",
  array: "JSONCompactEachRowWithNamesAndTypes",
  values: "JSONCompactEachRowWithNamesAndTypes",
  csv: "CSVWithNames",
} as const;

interface Page {
  readonly limit: number;
  readonly offset: number;
  /** False: the limit is our own. */
  readonly hasLimit: boolean;
  /** What ClickHouse itself would announce: printed numbers have 64 bits. */
  readonly types: readonly (string | undefined)[];
}

/** Lines of ClickHouse's answer up to the limit, with what the format has around and between them. */
async function* answer(
  body: Readable,
  query: UserQuery,
  { limit, offset, hasLimit, types }: Page,
  countRows: () => Promise<number>,
): AsyncGenerator<Buffer> {
  const format = FORMATS[query.format];
  const isCsv = format.rows === "csv";
  let rows = isCsv ? -1 : 0;
  const lines = linesOf(body, isCsv);
  const hasColumns = format.rows === "array" || format.rows === "values";
  let pieces: string[] = [isCsv ? "" : format.head(hasColumns ? await readColumns(lines, types) : [])];
  let size = 0;
  for await (const line of lines) {
    rows += 1;
    if (rows > limit) continue;
    const separator = rows <= 1 ? (isCsv && rows === 1 ? "\r\n" : "") : format.separator;
    pieces.push(separator, line);
    size += line.length;
    if (size < PIECE_BYTES) continue;
    yield Buffer.from(pieces.join(""));
    pieces = [];
    size = 0;
  }
  const returned = Math.min(Math.max(rows, 0), limit);
  const isKnown = rows <= limit && (returned > 0 || offset === 0);
  const total = isKnown || !format.needsTotal ? offset + returned : await countRows();
  const isCut = rows > limit && !hasLimit;
  const summary = { total, limit, offset, hasMore: offset + returned < total, isCut };
  pieces.push(isCsv ? "\r\n" : format.tail(summary, returned > 0));
  yield Buffer.from(pieces.join(""));
}

/** The first two lines: names and types. */
async function readColumns(lines: AsyncGenerator<string>, announced: Page["types"]): Promise<AnswerColumn[]> {
  const read = async () => JSON.parse(String((await lines.next()).value ?? "[]")) as string[];
  const [names, types] = [await read(), await read()];
  return names.map((name, at) => ({ name, type: announce(types[at] ?? "String", announced[at]) }));
}

function announce(type: string, announced: string | undefined): string {
  const [, nullable = "", plain = ""] = /^(Nullable\()?(.*?)\)?$/.exec(type) ?? [];
  const isWide = /^U?Int\d+$/.test(plain) || plain.startsWith("DateTime64");
  if (announced === undefined || !isWide) return type;
  return nullable === "" ? announced : `Nullable(${announced})`;
}

/** Lines; one of CSV ends outside of quotes. */
async function* linesOf(body: Readable, isCsv: boolean): AsyncGenerator<string> {
  let rest = "";
  body.setEncoding("utf8");
  for await (const chunk of body as AsyncIterable<string>) {
    const parts = (rest + chunk).split(isCsv ? "\r\n" : "\n");
    rest = parts.pop() ?? "";
    let open = "";
    for (const part of parts) {
      const line = open === "" ? part : `${open}\r\n${part}`;
      if (isCsv && countQuotes(line) % 2 === 1) open = line;
      else {
        yield line;
        open = "";
      }
    }
    if (open !== "") rest = `${open}\r\n${rest}`;
  }
  if (rest !== "") yield rest;
}

function countQuotes(text: string): number {
  return text.split('"').length - 1;
}

/** What only our own part of a statement has. */
const OUR_NAMES = /\bour \w|\b(?:events|session|rollup)_rows\b|\bscope_\w/;
const CANNOT = "The query cannot be answered";

/** The first sentence of ClickHouse's message, without the statement that it quotes. */
function toPublic(cause: unknown, { sql, timeoutMs }: UserQuery): unknown {
  if (cause instanceof EngineBusy) {
    if (/Code: 159\b/.test(cause.message))
      return new StatementRefused(`The query took longer than ${timeoutMs / 1000} s`, { cause });
    if (/Code: 241\b/.test(cause.message))
      return new StatementRefused("The query needs more memory than a query may use", { cause });
    return cause;
  }
  if (!(cause instanceof EngineRefused)) return cause;
  const [, message = ""] = /DB::Exception: (.*)/.exec(cause.message) ?? [];
  // SELECT and WITH of our statement are in capitals: "Cannot compare A with B" stays whole.
  const [sentence = ""] = message.split(
    /[.:]? [Ii]n (?:scope|query)\b|[.:]? [Ww]hile |\. \(|\(version |[:.]? (?:SELECT|WITH) |\. (?:Maybe|You)\b/,
  );
  const own = sql.includes("OrNull") ? sentence : sentence.replaceAll("OrNull(", "(");
  const isInner = OUR_NAMES.test(own);
  return new StatementRefused((isInner ? "" : own.replaceAll("cte ", "").slice(0, 200)) || CANNOT, { cause });
}
