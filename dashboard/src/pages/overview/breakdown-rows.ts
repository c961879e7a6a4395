import type { ReportName } from "../../../../src/contract/reports.ts";
import type { ApiRequest, Query } from "../../api/client.ts";
import { type Report, type Row, reportRequest } from "../../api/reports.ts";
import { type ValueRow, valueRows } from "../../charts/value-rows.ts";
import type { Range } from "../../format/range.ts";
import { type Filter, filtersParameter, toggleFilter, withoutChosen } from "../../state/filters.ts";
import type { View } from "../../state/view.ts";
import type { CardMeasure, Tab } from "./breakdowns.ts";

/** One row of a card. */
export type BreakdownRow = ValueRow<Row>;

/** Without the filters by its own column: the other rows stay to be chosen as well. */
export function queryFor(tab: Tab, { query, filters }: Pick<View, "query" | "filters">): Query {
  const others = withoutChosen(filters, tab.column === "event" ? ["event", "type"] : [tab.filter ?? ""]);
  return others.length === filters.length ? query : { ...query, filters: filtersParameter(others) };
}

/** The question of a card: the report of rollups for the first measure of a tab, the breakdown for the others. */
export function breakdownQuestion(
  tab: Tab,
  measure: CardMeasure,
  limit: number,
): { report: ReportName; params: Query } {
  if (tab.quick !== undefined && measure === tab.measures[0])
    return { report: tab.quick.report, params: { ...tab.quick.query, limit } };
  return { report: "breakdown", params: { metric_column: tab.breakdown, order_by: measure, limit } };
}

/** The most that a report returns at once. */
export const MOST_ROWS = 1000;

/** All measures of a tab's rows. */
export function tableRequest(tab: Tab, query: Query, own: Query): ApiRequest {
  return reportRequest("breakdown", { ...query, metric_column: tab.breakdown, limit: MOST_ROWS, ...own });
}

/** The same on the whole days of the period, beside those of the comparison. Undefined: nothing to compare. */
export function changesRequest(tab: Tab, view: View, own: Query = {}): ApiRequest | undefined {
  const days = comparedDays(view);
  return days && tableRequest(tab, { ...queryFor(tab, view), ...days }, own);
}

/**
 * The same for the measure that a report of rollups answers: that report of the whole days, and of those to compare
 * with. Undefined: only the breakdown has it. The breakdown reads all sessions of both periods, for one card longer than
 * these reports take for all of them.
 */
export function quickChangesRequests(
  tab: Tab,
  measure: CardMeasure,
  view: View,
): { now: ApiRequest; before: ApiRequest } | undefined {
  const { report, params } = breakdownQuestion(tab, measure, MOST_ROWS);
  if (report === "breakdown" || typeof view.comparable !== "object") return undefined;
  const { range, compared } = view.comparable;
  const of = ({ from, to }: Range) =>
    reportRequest(report, { ...queryFor(tab, view), ...params, date_from: from, date_to: to });
  return { now: of(range), before: of(compared) };
}

export function comparedDays({ comparable }: Pick<View, "comparable">): Query | undefined {
  if (typeof comparable !== "object") return undefined;
  const { range, compared } = comparable;
  return { date_from: range.from, date_to: range.to, compare_from: compared.from, compare_to: compared.to };
}

export function breakdownRows(tab: Tab, measure: string, report: Pick<Report, "data"> | undefined): BreakdownRow[] {
  return valueRows(report?.data ?? [], tab, measure);
}

/** Now and before, on whole days. */
export interface Change {
  now: number | null;
  before: number | null;
}

/** By the keys of rows. A value that is in neither period has none. */
export function changesOf(
  tab: Tab,
  report: Pick<Report, "data"> | undefined,
): (key: string, name: string) => Change | undefined {
  if (report === undefined) return () => undefined;
  const rows = new Map(breakdownRows(tab, "visitors", report).map(({ key, row }) => [key, row]));
  const number = (row: Row | undefined, name: string) => {
    const value = row?.[name];
    return typeof value === "number" ? value : null;
  };
  return (key, name) => {
    const row = rows.get(key);
    return row && { now: number(row, name), before: number(row, `${name}_previous`) };
  };
}

/** From the two answers of `quickChangesRequests`. A value that is in only one of them had none in the other period. */
export function quickChangesOf(
  tab: Tab,
  measure: CardMeasure,
  now: Pick<Report, "data">,
  before: Pick<Report, "data">,
): (key: string) => Change | undefined {
  const [here, earlier] = [valuesOf(tab, measure, now), valuesOf(tab, measure, before)];
  return (key) =>
    here.values.has(key) || earlier.values.has(key)
      ? { now: here.values.get(key) ?? here.missing, before: earlier.values.get(key) ?? earlier.missing }
      : undefined;
}

function valuesOf(tab: Tab, measure: CardMeasure, report: Pick<Report, "data">) {
  return {
    values: new Map(breakdownRows(tab, measure, report).map(({ key, value }) => [key, value])),
    /** Of a value without a row: rows beyond the most that a report returns are unknown, not zero. */
    missing: report.data.length < MOST_ROWS ? 0 : null,
  };
}

/** The filters after a click on a row. "Direct" and empty values have no text to compare with. */
export function filtersAfter(
  filters: readonly Filter[],
  { field, value }: { field: string; value: string },
  exclude: boolean,
): Filter[] {
  const isUnset = value === "" || (field === "referrer" && value === "Direct");
  if (!isUnset) return toggleFilter(filters, field, value, exclude);
  const op = exclude ? "notEmpty" : "isEmpty";
  const others = filters.filter(
    (filter) => !(filter.field === field && (filter.op === "isEmpty" || filter.op === "notEmpty")),
  );
  const known = filters.some((filter) => filter.field === field && filter.op === op);
  return known ? others : [...others, { field, op, value: "" }];
}

export function isFiltered(filters: readonly Filter[], filter: { field: string; value: string } | undefined): boolean {
  if (filter === undefined) return false;
  return filters.some(({ field, op, value }) => {
    if (field !== filter.field) return false;
    if (op === "isEmpty") return filter.value === "" || filter.value === "Direct";
    return (op === "eq" || op === "in") && value.split("|").includes(filter.value);
  });
}
