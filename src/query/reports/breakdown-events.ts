/** Columns of single events: an event counts under its own value. */
import { isTransaction } from "../../materialize/columns.ts";
import { ofSession, readConditions, readEventConditions, readPages } from "../conditions.ts";
import { textsOf } from "../filter-terms.ts";
import { readParts, toCtes } from "../parts.ts";
import type { Asking, Column } from "../report.ts";
import type { BreakdownDays } from "./breakdown-days.ts";
import { type BreakdownParts, PAGE_COLUMNS } from "./breakdown-sessions.ts";

const PARTS = readParts("breakdown_events");
const TRUE = "1 = 1";
const IS_CHOSEN = "(e.project_id, e.session) IN (SELECT project_id, session FROM chosen)";
const IS_VIEW = "e.type = 'page'";

interface EventColumn {
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

const one = (name: string, value = `e.${name}`): EventColumn => ({
  value,
  detail: "''",
  values: [{ name, type: "String", from: "value" }],
  hasValue: `e.${name} != ''`,
  isHit: IS_VIEW,
  isSeen: TRUE,
});
const named = (hasValue: string): EventColumn => ({
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
    value: "e.origin",
    detail: "e.pathname",
    values: PAGE_COLUMNS,
    hasValue: `(${IS_VIEW} OR e.origin != '' OR e.pathname != '')`,
    isHit: IS_VIEW,
    isSeen: IS_VIEW,
  },
};

export function ofEvents(column: string, asking: Asking, days: BreakdownDays): BreakdownParts {
  const own = COLUMNS[column];
  if (own === undefined) throw new Error(`no breakdown by ${column}`);
  const texts = {
    in_days: days.isIn("v.day"),
    in_event_days: days.isIn("e.day"),
    period: days.periodOf("e.day"),
    is_transaction: isTransaction("e"),
    value: own.value,
    detail: own.detail,
    has_value: own.hasValue,
    is_hit: own.isHit,
    is_seen: own.isSeen,
  };
  const { ctes, params, event, isChosen } =
    column === "page" ? pageConditions(asking, texts) : conditions(asking, texts);
  const counted = toCtes(PARTS, ["dated", "named", "totals"], { ...texts, event_filter: event, is_chosen: isChosen });
  return { ctes: [...ctes, ...counted], params, values: own.values };
}

type Texts = Readonly<Record<"in_days" | "in_event_days", string>>;

interface Conditions extends Pick<BreakdownParts, "ctes" | "params"> {
  /** The condition on the counted event, and on its session. */
  readonly event: string;
  readonly isChosen: string;
}

/** The counted event itself meets the conditions on events, as in top_chains and top_events. */
function conditions(asking: Asking, days: Texts): Conditions {
  const { ctes, texts, params } = readEventConditions(asking, ofSession);
  const isPlain = texts.bots === TRUE && texts.session_filter === TRUE;
  const chosen = isPlain ? [] : toCtes(PARTS, ["chosen"], { ...texts, ...days, matched: TRUE });
  return { ctes: [...ctes, ...chosen], params, event: texts.event_filter, isChosen: isPlain ? TRUE : IS_CHOSEN };
}

/** A session with an event that meets them is kept; the page scope `page` shows that page alone. As in top_pages. */
function pageConditions(asking: Asking, days: Texts): Conditions {
  const { texts, params, hasEvents } = readConditions(asking, ofSession);
  const shown = asking.pageScope === "page" ? readPages(asking) : undefined;
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
