/**
 * The SQL of rollups, common to both engines: each SELECT returns the columns of `rollups`, in their order,
 * for one slice of the partition `project` and `day`. The rows of the slices of a large partition add up. Sessions whose
 * device is in `left_out` do not count, as in reports: amounts are left out by the device under which
 * they count, everything else by that of the session's first touch.
 */
import { SOURCE_COLUMNS } from "../contract/metric-columns.ts";
import { fillSql, readSql, readSqlParts } from "../lib/sql.ts";
import { hourOf, isTransaction, ROLLED_UP_MONEY, revenueValue, SIGNAL, shownValue } from "./columns.ts";

const fileOf = (name: string) => new URL(`./${name}.sql`, import.meta.url);

/** The columns after `seen_before`, with the types of their zeros. */
const MEASURES = {
  hits: "toInt64(0)",
  sessions: "toInt64(0)",
  visitors: "toInt64(0)",
  revenue: "toInt128(0)",
  volume: "toInt128(0)",
  bounces: "toInt64(0)",
  active_ms: "toInt64(0)",
  transactions: "toInt64(0)",
  events: "toInt64(0)",
} as const;

type Measure = keyof typeof MEASURES;

/** The columns by which sessions are counted, each a dimension. Of `paid_source` only paid sessions count. */
const TOUCH_COLUMNS: readonly string[] = [...new Set([...SOURCE_COLUMNS, "location", "paid_source"])];

/** The dimension of revenue or volume by a column. */
export const revenueDimension = (column: string) => `revenue ${column}`;
export const volumeDimension = (column: string) => `volume ${column}`;

/** Lists of a session, each a dimension. */
const LISTS = { chain_id: "chains", rdns: "rdns_names", page: "pages" } as const;

const LIST_PARTS = readSqlParts(fileOf("rollup_lists"));
const HOUR_PARTS = readSqlParts(fileOf("rollup_hours"));

/** The parameter `left_out` of a partition's rollups. */
export const leftOut = (withoutBots: boolean): readonly string[] => (withoutBots ? BOTS : []);
const BOTS = ["bot"] as const;

/** Of an event `e`: its session counts. */
const IS_COUNTED = `e.session NOT IN
    (
        SELECT session FROM sessions
        WHERE project_id = {project:String} AND day = {day:Date} AND device IN {left_out:Array(String)}
    )`;

/** Few statements: planning takes 4 to 20 ms of each, more than the work of a small partition. */
export const ROLLUPS: readonly string[] = [
  rollup(readSql(fileOf("rollup_total")), Object.keys(MEASURES) as Measure[], "by seen_before"),
  rollup(
    withColumns(readSql(fileOf("rollup_touches")), TOUCH_COLUMNS, (column) => shownValue(column, `v.${column}`)),
    ["hits", "sessions", "visitors", "bounces", "active_ms", "transactions"],
    "by seen_before",
  ),
  rollup(ofLists(), ["hits", "sessions", "visitors"], "by seen_before"),
  rollup(readSql(fileOf("rollup_wallets")), ["visitors"], "by seen_before"),
  rollup(fillSql(readSql(fileOf("rollup_ends")), { hour: hourOf("v.started_at") }), [
    "hits",
    "sessions",
    "bounces",
    "active_ms",
  ]),
  rollup(fillSql(readSql(fileOf("rollup_events")), { is_counted: IS_COUNTED }), ["hits"]),
  rollup(
    fillSql(HOUR_PARTS("hours"), {
      hour: hourOf("e.timestamp"),
      is_transaction: isTransaction("e"),
      is_counted: IS_COUNTED,
    }),
    ["hits", "sessions", "visitors", "revenue", "volume", "transactions", "events"],
  ),
  rollup(fillSql(HOUR_PARTS("wallets"), { hour: hourOf("e.timestamp"), is_counted: IS_COUNTED }), ["visitors"]),
  rollup(ofMoney(), ["hits", "revenue", "volume"]),
];

/** Adds the columns of the partition, and zeros in place of other measures than `filled`. */
function rollup(sql: string, filled: readonly Measure[], seen?: "by seen_before"): string {
  const measures = Object.entries(MEASURES).map(([name, zero]) =>
    (filled as readonly string[]).includes(name) ? name : `${zero} AS ${name}`,
  );
  return `SELECT
    {project:String} AS project_id,
    {day:Date} AS day,
    dimension,
    value,
    ${seen === undefined ? "toDate('1970-01-01') AS seen_before" : "seen_before"},
    ${measures.join(",\n    ")}
FROM
(
${sql.trim()}
) AS counted`;
}

function ofLists(): string {
  const visits = Object.entries(LISTS).map(([dimension, list]) =>
    fillSql(LIST_PARTS("visits"), { dimension: `'${dimension}'`, list }),
  );
  return fillSql(LIST_PARTS("rollup"), { visits: visits.join("\nUNION ALL\n"), is_counted: IS_COUNTED });
}

function ofMoney(): string {
  const dimensions = [...ROLLED_UP_MONEY.map(revenueDimension), ...ROLLED_UP_MONEY.map(volumeDimension)];
  const paid = [revenueDimension("paid_source"), volumeDimension("paid_source")];
  return fillSql(readSql(fileOf("rollup_money")), {
    columns: String(ROLLED_UP_MONEY.length),
    signal: SIGNAL,
    device: revenueValue("device", "e.has_signal"),
    dimensions: listOf(dimensions.map(quote)),
    values: listOf(ROLLED_UP_MONEY.map((column) => shownValue(column, revenueValue(column, "e.has_signal")))),
    numbers: listOf(dimensions.map((_, index) => String(index + 1))),
    paid_sources: paid.map(quote).join(", "),
  });
}

/** `dimensions`, `values` and `numbers` are parallel arrays: a session becomes one row per element. */
function withColumns(sql: string, columns: readonly string[], textOf: (column: string) => string): string {
  return fillSql(sql, {
    dimensions: listOf(columns.map(quote)),
    values: listOf(columns.map(textOf)),
    numbers: listOf(columns.map((_, index) => String(index + 1))),
  });
}

function quote(name: string): string {
  return `'${name}'`;
}

function listOf(texts: readonly string[]): string {
  return `[${texts.join(", ")}]`;
}
