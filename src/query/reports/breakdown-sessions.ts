/** Columns of whole sessions: everything in a session counts under its value. */
import { SOURCE_COLUMNS } from "../../contract/metric-columns.ts";
import type { Cte } from "../../engines/relations.ts";
import type { SqlTexts } from "../../lib/sql.ts";
import { isTransaction, shownValue } from "../../materialize/columns.ts";
import { ofSession, readConditions, readEventConditions, readPages } from "../report/conditions.ts";
import { readParts, toCtes } from "../report/parts.ts";
import type { Column, ReportContext } from "../report/report.ts";
import type { BreakdownDays } from "./breakdown-days.ts";
import type { BreakdownNeeds } from "./breakdown-needs.ts";

const PARTS = readParts("breakdown_sessions");
const TRUE = "1 = 1";
/** A session has one first visitor, with whom it counts; under a list it may have others. */
const ONE_ROW = "sum(c.visits)";
const SEVERAL_ROWS = "uniqExact(c.session)";

/** The last CTE is `totals`. */
export interface BreakdownParts {
  readonly ctes: readonly Cte[];
  readonly params: Readonly<Record<string, unknown>>;
  /** The columns that hold the value. */
  readonly values: readonly Column[];
}

/** Undefined: the column is one of single events. */
export function ofSessions(
  column: string,
  context: ReportContext,
  days: BreakdownDays,
  needs: BreakdownNeeds,
): BreakdownParts | undefined {
  const found = visitsOf(column, context, days);
  if (found === undefined) return undefined;
  const { ctes, texts, ...rest } = found;
  return { ...rest, ctes: [...ctes, ...countedParts(texts, needs)] };
}

/** What nobody asked for is not counted: the wallets of 260,000 sessions take longer than all the rest of them. */
function countedParts(texts: SqlTexts, { hasWallets, hasTransacting }: BreakdownNeeds): Cte[] {
  const names = ["of_sessions", ...(hasWallets ? ["of_wallets"] : []), ...(hasTransacting ? ["of_transacting"] : [])];
  const totals = names.map((name) => PARTS(`totals_${name}`).trim()).join("\nUNION ALL\n");
  return [...toCtes(PARTS, names, texts), { name: "totals", sql: totals }];
}

/** The sessions that are counted, and the texts of the parts that count them. */
interface BreakdownVisits extends BreakdownParts {
  readonly texts: SqlTexts;
}

function visitsOf(column: string, context: ReportContext, days: BreakdownDays): BreakdownVisits | undefined {
  if (column === "rdns") return ofApps(column, context, days);
  if (column === "entry_page" || column === "exit_page") return ofEnds(column, context, days);
  if (column !== "location" && !SOURCE_COLUMNS.some((one) => one === column)) return undefined;
  const touch = shownValue(column, `v.${column}`);
  const kept = column === "paid_source" ? "v.paid_source != ''" : TRUE;
  return ofVisits(context, days, { value: touch, detail: "''", kept }, [
    { name: column, type: "String", from: "value" },
  ]);
}

interface VisitTexts {
  readonly value: string;
  readonly detail: string;
  /** Which sessions have a value. */
  readonly kept: string;
}

function textsOf(days: BreakdownDays) {
  return {
    in_days: days.isIn("v.day"),
    in_event_days: days.isIn("e.day"),
    period: days.periodOf("v.day"),
    is_transaction: isTransaction("e"),
  };
}

function ofVisits(
  context: ReportContext,
  days: BreakdownDays,
  own: VisitTexts,
  values: readonly Column[],
  read: "sessions" | "with_views" = "sessions",
): BreakdownVisits {
  const { texts, params, hasEvents } = readConditions(context, ofSession);
  const matched = hasEvents ? "(v.project_id, v.session) IN (SELECT project_id, session FROM matching)" : TRUE;
  const all = {
    ...texts,
    ...textsOf(days),
    ...own,
    kept: `${own.kept} AND ${matched}`,
    read,
    visits: "chosen",
    sessions: ONE_ROW,
  };
  const parts = [...(hasEvents ? ["matching"] : []), ...(read === "sessions" ? [] : [read]), "chosen"];
  return { ctes: toCtes(PARTS, parts, all), texts: all, params, values };
}

/** With the page scope `page`, a filter on the page shows that page alone, as in top_pages. */
function ofEnds(column: "entry_page" | "exit_page", context: ReportContext, days: BreakdownDays): BreakdownVisits {
  const end = column === "entry_page" ? "entry" : "exit";
  const pages = context.pageScope === "page" ? readPages(context) : undefined;
  const own = {
    value: `v.${end}_origin`,
    detail: `v.${end}_page`,
    kept: `v.session_hits > 0 AND ${pages?.of(`v.${end}_page`) ?? TRUE}`,
  };
  const found = ofVisits(context, days, own, PAGE_COLUMNS, "with_views");
  return { ...found, params: { ...found.params, ...pages?.params } };
}

export const PAGE_COLUMNS: readonly Column[] = [
  { name: "origin", type: "String", from: "value" },
  { name: "pathname", type: "String", from: "detail" },
];

/** Wallet apps: connections name them, transactions often do not. A visitor of a session counts under each. */
function ofApps(column: string, context: ReportContext, days: BreakdownDays): BreakdownVisits {
  const { ctes, texts, params, hasEvents } = readEventConditions(context, ofSession);
  const visits = hasEvents ? "listed_by_events" : "listed";
  const all = {
    ...texts,
    ...textsOf(days),
    value: "v.rdns_names",
    detail: "''",
    kept: TRUE,
    read: "sessions",
    event_value: `e.${column}`,
    visits,
    sessions: SEVERAL_ROWS,
  };
  const parts = ["chosen", ...(hasEvents ? ["named"] : []), visits];
  return {
    ctes: [...ctes, ...toCtes(PARTS, parts, all)],
    texts: all,
    params,
    values: [{ name: column, type: "String", from: "value" }],
  };
}
