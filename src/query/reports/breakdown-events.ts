/** Columns of single events: an event counts under its own value. */
import { findProperty } from "../../contract/properties.ts";
import { isTransaction } from "../../materialize/columns.ts";
import { propertyText } from "../filters/event-terms.ts";
import { textsOf } from "../filters/filter-terms.ts";
import { ofSession, readConditions, readEventConditions, readPages } from "../report/conditions.ts";
import { readParts, toCtes } from "../report/parts.ts";
import type { Column, ReportContext } from "../report/report.ts";
import type { BreakdownDays } from "./breakdown-days.ts";
import type { BreakdownNeeds } from "./breakdown-needs.ts";
import { type BreakdownParts, PAGE_COLUMNS } from "./breakdown-sessions.ts";

const PARTS = readParts("breakdown_events");
const TRUE = "1 = 1";
const IS_CHOSEN = "(e.project_id, e.session) IN (SELECT project_id, session FROM chosen)";
const IS_VIEW = "e.type = 'page'";

interface EventColumn {
  /** A column that only this breakdown or few others read: properties are most of an event's bytes. */
  readonly read: string;
  readonly value: string;
  readonly detail: string;
  readonly values: readonly Column[];
  /** Which events have a value. */
  readonly hasValue: string;
  /** Which events count as hits. */
  readonly isHit: string;
  /** Which events make their session and visitor count. */
  readonly isSeen: string;
}

const READ = "e.builder_codes AS builder_codes";
const one = (name: string, value = `e.${name}`): EventColumn => ({
  read: READ,
  value,
  detail: "''",
  values: [{ name, type: "String", from: "value" }],
  hasValue: `e.${name} != ''`,
  isHit: IS_VIEW,
  isSeen: TRUE,
});
const named = (hasValue: string): EventColumn => ({
  read: READ,
  value: "e.type",
  detail: "e.event",
  values: [
    { name: "type", type: "String", from: "value" },
    { name: "event", type: "String", from: "detail" },
  ],
  hasValue,
  isHit: TRUE,
  isSeen: TRUE,
});

const COLUMNS: Readonly<Record<string, EventColumn>> = {
  chain_id: one("chain_id"),
  builder_codes: one("builder_codes", `arrayJoin(arrayDistinct(${textsOf("e.builder_codes")}))`),
  event: named(TRUE),
  custom_event: named("e.type = 'track' AND e.event != ''"),
  /** The sessions and visitors are those of views; wallets and money are of all events on the page. */
  page: {
    read: READ,
    value: "e.origin",
    detail: "e.pathname",
    values: PAGE_COLUMNS,
    hasValue: `(${IS_VIEW} OR e.origin != '' OR e.pathname != '')`,
    isHit: IS_VIEW,
    isSeen: IS_VIEW,
  },
};

/** The key is bound as `property`, and never part of the statement. */
const OF_PROPERTY: EventColumn = {
  read: `${propertyText("e", "property")} AS property`,
  value: "e.property",
  detail: "''",
  values: [{ name: "value", type: "String" }],
  hasValue: `${propertyText("e", "property")} != ''`,
  isHit: TRUE,
  isSeen: TRUE,
};

const NOT_COUNTED = "toInt64(0)";
const WALLETS = "toInt64(uniqExact(if(n.address != '', n.address, NULL)))";
const TRANSACTING = "toInt64(uniqExact(if(n.is_transaction = 1 AND n.address != '', n.address, NULL)))";

export function ofEvents(
  column: string,
  context: ReportContext,
  days: BreakdownDays,
  needs: BreakdownNeeds,
): BreakdownParts {
  const property = findProperty(column);
  const own = property === undefined ? COLUMNS[column] : OF_PROPERTY;
  if (own === undefined) throw new Error(`no breakdown by ${column}`);
  const texts = {
    in_days: days.isIn("v.day"),
    in_event_days: days.isIn("e.day"),
    period: days.periodOf("e.day"),
    is_transaction: isTransaction("e"),
    read: own.read,
    value: own.value,
    detail: own.detail,
    has_value: own.hasValue,
    is_hit: own.isHit,
    is_seen: own.isSeen,
    wallets: needs.hasWallets ? WALLETS : NOT_COUNTED,
    transacting: needs.hasTransacting ? TRANSACTING : NOT_COUNTED,
  };
  const { ctes, params, event, isChosen } =
    column === "page" ? pageConditions(context, texts) : conditions(context, texts);
  const counted = toCtes(PARTS, ["dated", "named", "totals"], { ...texts, event_filter: event, is_chosen: isChosen });
  return {
    ctes: [...ctes, ...counted],
    params: property === undefined ? params : { ...params, property },
    values: own.values,
  };
}

type Texts = Readonly<Record<"in_days" | "in_event_days", string>>;

interface Conditions extends Pick<BreakdownParts, "ctes" | "params"> {
  /** The condition on the counted event, and on its session. */
  readonly event: string;
  readonly isChosen: string;
}

/** The counted event itself meets the conditions on events, as in top_chains and top_events. */
function conditions(context: ReportContext, days: Texts): Conditions {
  const { ctes, texts, params } = readEventConditions(context, ofSession);
  const isPlain = texts.bots === TRUE && texts.session_filter === TRUE;
  const chosen = isPlain ? [] : toCtes(PARTS, ["chosen"], { ...texts, ...days, matched: TRUE });
  return { ctes: [...ctes, ...chosen], params, event: texts.event_filter, isChosen: isPlain ? TRUE : IS_CHOSEN };
}

/** A session with an event that meets them is kept; the page scope `page` shows that page alone. As in top_pages. */
function pageConditions(context: ReportContext, days: Texts): Conditions {
  const { texts, params, hasEvents } = readConditions(context, ofSession);
  const shown = context.pageScope === "page" ? readPages(context) : undefined;
  const isPlain = !hasEvents && texts.bots === TRUE && texts.session_filter === TRUE;
  const matched = hasEvents ? "(v.project_id, v.session) IN (SELECT project_id, session FROM matching)" : TRUE;
  const parts = [...(hasEvents ? ["matching"] : []), ...(isPlain ? [] : ["chosen"])];
  return {
    ctes: toCtes(PARTS, parts, { ...texts, ...days, matched }),
    params: { ...params, ...shown?.params },
    event: shown?.of("e.pathname") ?? TRUE,
    isChosen: isPlain ? TRUE : IS_CHOSEN,
  };
}
