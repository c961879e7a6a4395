/** One number of a report's answer. */
import { ApiError } from "../../contract/errors.ts";
import { REPORT_CATALOGUE, type ReportName } from "../../contract/reports.ts";
import type { Row } from "../../query/report/report.ts";
import type { ReportAnswer } from "../../query/run/run-report.ts";
import type { Params } from "./metric.ts";

/** Of several rows their sum is the number. People and sessions may be in more than one row. */
const ADDITIVE = new Set([
  ...["hits", "count", "transactions", "revenue", "volume", "sum_revenue", "sum_volume", "user_count", "transitions"],
  "events",
]);
/** Numbers by something: without it there is none. */
const QUOTIENTS = new Set(["bounce_rate", "avg_session_sec"]);
const COUNTED = new Set([
  ...ADDITIVE,
  "sessions",
  "visitors",
  "wallets",
  "transacting_wallets",
  "pageviews",
  "users",
  "total",
]);

/** The parameters as a client would send them: lists as JSON, and all rows where one is looked for. */
export function askedOf(
  name: ReportName,
  params: Params,
  row: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const texts = Object.entries(params).map(([key, value]) => [key, toText(value)]);
  const { properties } = REPORT_CATALOGUE[name].query as unknown as {
    properties: { readonly limit?: { readonly maximum?: number } };
  };
  const most = properties.limit?.maximum;
  const limit = most !== undefined && Object.keys(row).length > 0 ? { limit: most } : {};
  const { bots: _, ...asked } = { ...limit, ...Object.fromEntries(texts) };
  return name === "kpis" ? { ...asked, interval: "all" } : asked;
}

function toText(value: unknown): unknown {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

export function numberOf(
  answer: Pick<ReportAnswer, "data" | "rows" | "rows_before_limit_at_least">,
  column: string,
  chosen: Readonly<Record<string, string | number>>,
): number | null {
  const wanted = Object.entries(chosen);
  const rows = answer.data.filter((row) => wanted.every(([name, value]) => isSame(row, name, value)));
  if (rows.length === 0) {
    if (answer.rows < answer.rows_before_limit_at_least)
      throw refuse(
        `The row is not among the first ${answer.rows} of ${answer.rows_before_limit_at_least}: add a filter`,
      );
    return COUNTED.has(column) ? 0 : null;
  }
  if (rows.length > 1 && !ADDITIVE.has(column))
    throw refuse(`The answer has ${rows.length} rows with ${column}: choose one by row`);
  return rows.reduce<number | null>((sum, row) => addTo(sum, cellOf(row, column)), null);
}

function addTo(sum: number | null, value: number | null): number | null {
  return value === null ? sum : (sum ?? 0) + value;
}

function cellOf(row: Row, column: string): number | null {
  const value = row[column];
  if (QUOTIENTS.has(column) && row.sessions === 0) return null;
  return typeof value === "number" ? value : null;
}

/** Columns of numbers are chosen by texts, too: `step: "2"`. A column that is not there is no empty one. */
function isSame(row: Row, name: string, value: string | number): boolean {
  return name in row && String(row[name]) === String(value);
}

function refuse(message: string): ApiError {
  return new ApiError("BAD_REQUEST", message, { param: "body.metric.row" });
}
