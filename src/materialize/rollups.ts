/**
 * The SQL of rollups, common to both engines: each SELECT returns the columns of `rollups`, in their order,
 * for one slice of the partition `project` and `day`. The rows of the slices of a large partition add up.
 */
import { SOURCE_COLUMNS } from "../contract/metric-columns.ts";
import { fillSql, readSql, readSqlParts } from "../lib/sql.ts";
import { hourOf, isTransaction, MONEY_COLUMNS, revenueValue, shownValue } from "./columns.ts";

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
type Money = "revenue" | "volume";

/** The columns by which sessions are counted, each a dimension. Of `paid_source` only paid sessions count. */
const TOUCH_COLUMNS: readonly string[] = [...new Set([...SOURCE_COLUMNS, "location", "paid_source"])];

/** The dimension of revenue or volume by a column. */
export const revenueDimension = (column: string) => `revenue ${column}`;
export const volumeDimension = (column: string) => `volume ${column}`;

const LISTS = readSqlParts(fileOf("rollup_lists"));
const HOURS = readSqlParts(fileOf("rollup_hours"));

export const ROLLUPS: readonly string[] = [
  rollup(readSql(fileOf("rollup_total")), Object.keys(MEASURES) as Measure[], "by seen_before"),
  rollup(
    withColumns(readSql(fileOf("rollup_touches")), TOUCH_COLUMNS, (column) => shownValue(column, `v.${column}`)),
    ["hits", "sessions", "visitors", "bounces", "active_ms", "transactions"],
    "by seen_before",
  ),
  ofList("chain_id", "chains", "sessions_of_list"),
  ofList("rdns", "rdns_names", "sessions_of_list"),
  ofList("page", "pages", "sessions_of_pages"),
  rollup(readSql(fileOf("rollup_wallets")), ["visitors"], "by seen_before"),
  ofEnd("entry"),
  ofEnd("exit"),
  rollup(readSql(fileOf("rollup_events")), ["hits"]),
  rollup(fillSql(HOURS("hours"), { hour: hourOf("e.timestamp"), is_transaction: isTransaction("e") }), [
    "hits",
    "sessions",
    "visitors",
    "revenue",
    "volume",
    "transactions",
    "events",
  ]),
  rollup(fillSql(HOURS("wallets"), { hour: hourOf("e.timestamp") }), ["visitors"]),
  rollup(fillSql(HOURS("started"), { hour: hourOf("v.started_at") }), ["sessions", "bounces", "active_ms"]),
  ofMoney("revenue", revenueDimension),
  ofMoney("volume", volumeDimension),
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

function ofList(dimension: string, list: string, counts: string): string {
  const sql = fillSql(LISTS("rollup"), { dimension: `'${dimension}'`, list, counts: LISTS(counts) });
  return rollup(sql, ["hits", "sessions", "visitors"], "by seen_before");
}

function ofEnd(end: "entry" | "exit"): string {
  const names = { dimension: `'${end}_page'`, origin: `${end}_origin`, page: `${end}_page` };
  return rollup(fillSql(readSql(fileOf("rollup_ends")), names), ["hits", "sessions", "bounces", "active_ms"]);
}

function ofMoney(measure: Money, dimensionOf: (column: string) => string): string {
  const sql = withColumns(
    readSql(fileOf("rollup_money")),
    MONEY_COLUMNS,
    (column) => shownValue(column, revenueValue(column)),
    dimensionOf,
    { measure, paid_source: `'${dimensionOf("paid_source")}'` },
  );
  return rollup(sql, ["hits", measure]);
}

/** `dimensions`, `values` and `numbers` are parallel arrays: an event or session becomes one row per element. */
function withColumns(
  sql: string,
  columns: readonly string[],
  textOf: (column: string) => string,
  dimensionOf = (column: string) => column,
  texts: Readonly<Record<string, string>> = {},
): string {
  return fillSql(sql, {
    ...texts,
    dimensions: `[${columns.map((column) => `'${dimensionOf(column)}'`).join(", ")}]`,
    values: `[${columns.map(textOf).join(",\n                ")}]`,
    numbers: `[${columns.map((_, index) => index + 1).join(", ")}]`,
  });
}
