/** All measures of each value of a column: visits, wallets, those that transact, and money, beside those of other days. */
import { BREAKDOWN_COLUMNS, BREAKDOWN_MEASURES, type BreakdownMeasure } from "../../contract/metric-columns.ts";
import { findProperty } from "../../contract/properties.ts";
import { PROPERTY_ABOUT } from "../filters/filter-terms.ts";
import type { Failures } from "../filters/filters.ts";
import { type Compare, findCompared, readCompare } from "../report/compare.ts";
import { importedClause } from "../report/imported.ts";
import { readParts, toCtes } from "../report/parts.ts";
import { type Column, defineReport, type ReportContext } from "../report/report.ts";
import { hullOf } from "../report/window.ts";
import { type BreakdownDays, daysOf } from "./breakdown-days.ts";
import { ofEvents } from "./breakdown-events.ts";
import { needsOf, readMeasures } from "./breakdown-needs.ts";
import { type BreakdownParts, ofSessions } from "./breakdown-sessions.ts";
import { IMPORTED_COLUMNS } from "./imported-counts.ts";

const PARTS = readParts("breakdown");

interface Own {
  /** One of BREAKDOWN_COLUMNS, or `properties.<name>`. */
  readonly column: string;
  readonly measures: readonly BreakdownMeasure[];
  readonly orderBy: string;
  readonly isAscending: boolean;
  readonly compare: Compare;
}

const RATES: readonly string[] = ["conversion", "revenue_per_wallet"] satisfies BreakdownMeasure[];
const AMOUNTS: readonly string[] = ["volume", "revenue"] satisfies BreakdownMeasure[];
const CHANGE = "_change";

export const breakdown = defineReport<Own>({
  read(query, failures) {
    const { metric_column, measures, order_by, order } = query;
    const compare = readCompare(query, failures);
    return {
      column: readColumn(metric_column, failures),
      measures: readMeasures(measures, failures),
      orderBy: readOrder(order_by, compare, failures),
      isAscending: order === "asc",
      compare,
    };
  },
  reach: ({ compare }, window) => hullOf(window, findCompared(compare, window)),
  plan({ column, measures, orderBy, isAscending, compare }, context) {
    const days = daysOf(context.window, findCompared(compare, context.window));
    const needs = needsOf([...measures, measureOf(orderBy)]);
    const found = ofSessions(column, context, days, needs) ?? ofEvents(column, context, days, needs);
    const { ctes, params, values } = addImported(column, context, days, found);
    const previous = compare === undefined ? [] : measures.map((name) => columnOf(`${name}_previous`));
    return {
      ctes: [...ctes, ...toCtes(PARTS, ["counts"], {})],
      params: { ...params, ...days.params },
      columns: [{ name: "project_id", type: "String" }, ...values, ...measures.map(columnOf), ...previous],
      order: [
        `${orderTerm(orderBy)} ${isAscending ? "ASC" : "DESC"} NULLS LAST`,
        ...["visitors DESC", "sessions DESC", "hits DESC", "value", "detail", "project_id"],
      ],
      page: context,
      addsImported: IMPORTED_COLUMNS.includes(column),
    };
  },
});

/** Adds the sums of imported days to `totals`, the last CTE. */
function addImported(column: string, { imported }: ReportContext, days: BreakdownDays, found: BreakdownParts) {
  if (imported.length === 0 || !IMPORTED_COLUMNS.includes(column)) return found;
  const { sql, params } = importedClause(imported, column);
  const texts = { in_days: days.isIn("i.day"), period: days.periodOf("i.day"), imported: sql };
  const [more] = toCtes(PARTS, ["imported"], texts);
  const ctes = found.ctes.map((cte) =>
    cte.name === "totals" ? { ...cte, sql: `${cte.sql.trimEnd()}\nUNION ALL\n${more?.sql ?? ""}` } : cte,
  );
  return { ...found, ctes, params: { ...found.params, ...params } };
}

function readColumn(column: unknown, failures: Failures): string {
  if (typeof column !== "string") return "referrer";
  if (!BREAKDOWN_COLUMNS.some((one) => one === column) && findProperty(column) === undefined)
    failures.set("query.metric_column", `must be one of ${[...BREAKDOWN_COLUMNS, PROPERTY_ABOUT].join(", ")}`);
  return column;
}

function readOrder(orderBy: unknown, compare: Compare, failures: Failures): string {
  if (typeof orderBy !== "string") return "visitors";
  if (orderBy.endsWith(CHANGE) && compare === undefined)
    failures.set(
      "query.order_by",
      "needs days to compare with: compare_from and compare_to, or include_previous_period",
    );
  return orderBy;
}

/** Of a change the difference: a share would put the smallest values first. */
function orderTerm(orderBy: string): string {
  const name = measureOf(orderBy);
  return name === orderBy ? name : `${name} - ${name}_previous`;
}

function measureOf(orderBy: string): BreakdownMeasure {
  return BREAKDOWN_MEASURES.find((one) => one === orderBy || `${one}${CHANGE}` === orderBy) ?? "visitors";
}

function columnOf(name: string): Column {
  const measure = name.replace(/_previous$/, "");
  if (RATES.includes(measure)) return { name, type: "Nullable(Float64)" };
  return { name, type: AMOUNTS.includes(measure) ? "Float64" : "UInt64" };
}
