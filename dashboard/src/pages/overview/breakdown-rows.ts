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
  value: number;
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
  if (measure === "revenue" || measure === "volume") {
    return reportRequest(`${measure}_by_metric`, { ...query, metric_column: tab.money, limit });
  }
  const { report = "", query: own = {} } = tab.visits ?? {};
  return reportRequest(report, { ...query, ...own, limit: isOrder(tab, measure) ? limit : MOST_ROWS });
}

/** The most that a report returns at once. */
export const MOST_ROWS = 1000;

/** Reports are ordered by their first measure: the ten largest by another one may be anywhere in it. */
export function isOrder(tab: Tab, measure: CardMeasure): boolean {
  return measure === "revenue" || measure === "volume" || measure === tab.visits?.measures[0];
}

function measureColumn(measure: CardMeasure): string {
  return measure === "revenue" || measure === "volume" ? `sum_${measure}` : measure;
}

export function breakdownRows(tab: Tab, measure: CardMeasure, report: Report | undefined): BreakdownRow[] {
  const column = measureColumn(measure);
  const origins = new Set(report?.data.map((row) => row.origin));
  const rows = (report?.data ?? []).map((row): BreakdownRow => {
    const value = String(row[tab.column] ?? "");
    return { ...nameOf(tab, row, value, origins.size > 1), value: Number(row[column] ?? 0), row };
  });
  return rows.sort((one, other) => other.value - one.value);
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
