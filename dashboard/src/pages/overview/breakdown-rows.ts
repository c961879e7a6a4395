import type { ApiRequest, Query } from "../../api/client.ts";
import { type Report, type Row, reportRequest } from "../../api/reports.ts";
import { pageName, valueName } from "../../format/names.ts";
import { type Filter, filtersParameter, toggleFilter, withoutChosen } from "../../state/filters.ts";
import type { View } from "../../state/view.ts";
import type { CardMeasure, Tab } from "./breakdowns.ts";

/** One row of a card. */
export interface BreakdownRow {
  key: string;
  name: string;
  /** Null: it has none, such as the conversion of nobody. */
  value: number | null;
  /** What a filter by this row compares with; undefined where it cannot be filtered. */
  filter: { field: string; value: string } | undefined;
  row: Row;
}

/** Without the filters by its own column: the other rows stay to be chosen as well. */
export function queryFor(tab: Tab, { query, filters }: Pick<View, "query" | "filters">): Query {
  const others = withoutChosen(filters, tab.column === "event" ? ["event", "type"] : [tab.filter ?? ""]);
  return others.length === filters.length ? query : { ...query, filters: filtersParameter(others) };
}

export function breakdownRequest(tab: Tab, measure: CardMeasure, query: Query, limit: number): ApiRequest {
  if (tab.quick !== undefined && measure === tab.measures[0])
    return reportRequest(tab.quick.report, { ...query, ...tab.quick.query, limit });
  return tableRequest(tab, query, { order_by: measure, limit });
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

export function comparedDays({ comparable }: Pick<View, "comparable">): Query | undefined {
  if (typeof comparable !== "object") return undefined;
  const { range, compared } = comparable;
  return { date_from: range.from, date_to: range.to, compare_from: compared.from, compare_to: compared.to };
}

export function breakdownRows(
  tab: Tab,
  measure: CardMeasure,
  report: Pick<Report, "data"> | undefined,
): BreakdownRow[] {
  const origins = new Set(report?.data.map((row) => row.origin));
  const rows = (report?.data ?? []).map((row): BreakdownRow => {
    const value = row[measure];
    const named = nameOf(tab, row, String(row[tab.column] ?? ""), origins.size > 1);
    return { ...named, value: typeof value === "number" ? value : null, row };
  });
  return rows.sort((one, other) => compareValues(one.value, other.value, "desc"));
}

/** Rows without the number come last, in either order. */
export function compareValues(one: number | null, other: number | null, order: "asc" | "desc"): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return order === "asc" ? one - other : other - one;
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

function nameOf(
  tab: Tab,
  row: Row,
  value: string,
  severalSites: boolean,
): Pick<BreakdownRow, "key" | "name" | "filter"> {
  const field = tab.filter;
  if (tab.column === "pathname" && typeof row.origin === "string") {
    const name = pageName(row.origin, value, severalSites);
    return { key: `${row.origin} ${value}`, name, filter: field === undefined ? undefined : { field, value } };
  }
  if (tab.column === "event" && typeof row.type === "string") {
    const custom = value !== "";
    const name = custom ? value : valueName("type", row.type);
    return {
      key: `${row.type} ${value}`,
      name,
      filter: custom ? { field: "event", value } : { field: "type", value: row.type },
    };
  }
  return { key: value, name: valueName(tab.column, value), filter: field === undefined ? undefined : { field, value } };
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
