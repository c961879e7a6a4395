/** Expressions that sessions, rollups and reports share. */
import { ARRIVAL_COLUMNS, REVENUE_COLUMNS } from "../contract/metric-columns.ts";

/** The columns by which revenue and volume are added. Of `paid_source` only paid amounts count. */
const MONEY_COLUMNS: readonly string[] = [...new Set([...REVENUE_COLUMNS, "paid_source"])];

/** An amount counts under each code of its event. Few people ask for them, so that rollups have none. */
const CODES = "builder_codes";
export const ROLLED_UP_MONEY: readonly string[] = MONEY_COLUMNS.filter((column) => column !== CODES);

/** An event with a signal keeps its own values of these columns, even if some of them are empty. */
const ACQUIRED: readonly string[] = [...ARRIVAL_COLUMNS, "channel"];
/** The event's own value. If it is empty and the event has no signal: the value of the first touch. */
const PLACES: readonly string[] = ["origin", "pathname"];

/**
 * An event has a signal when it shows itself how its visitor arrived. `e` is a relation with the columns of `events`.
 */
export const SIGNAL = `(e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != '')`;

/**
 * The value of a column under which revenue or volume of event `e` in session `s` counts: the event's own value, or
 * that of the session's first touch. Builder codes are the event's own, a row for each. `signal` may be a column that holds SIGNAL.
 */
export function revenueValue(column: string, signal = SIGNAL): string {
  if (!MONEY_COLUMNS.includes(column)) throw new Error(`revenue has no column ${column}`);
  const own = column === "channel" ? "e.acquisition" : `e.${column}`;
  if (column === CODES) return `arrayJoin(arrayDistinct(splitByChar(',', ${own})))`;
  if (column === "event") return own;
  if (ACQUIRED.includes(column)) return `if(${signal}, ${own}, s.${column})`;
  if (PLACES.includes(column)) return `multiIf(${own} != '', ${own}, ${signal}, '', s.${column})`;
  return `if(${own} != '', ${own}, s.${column})`;
}

/** The value as shown in reports: an empty referrer is Direct. */
export function shownValue(column: string, value: string): string {
  return column === "referrer" ? `if(${value} = '', 'Direct', ${value})` : value;
}

/** '00' to '23': the hour of a time. */
export function hourOf(time: string): string {
  return `substring(toString(100 + intDiv(toUnixTimestamp64Milli(${time}) % 86400000, 3600000)), 2)`;
}

/**
 * 1 for an event that counts as a transaction, otherwise 0. A client reports one transaction several times, under
 * another `status`: it counts when it is broadcasted. Without a status each event is a transaction.
 */
export function isTransaction(event: string): string {
  return countedUnless(event, "transaction", ["started", "confirmed", "reverted", "rejected"]);
}

/** The same for signatures, which count when they are confirmed. */
export function isSignature(event: string): string {
  return countedUnless(event, "signature", ["requested", "rejected"]);
}

function countedUnless(event: string, type: string, statuses: readonly string[]): string {
  const others = statuses.map((one) => `'${one}'`).join(", ");
  return `if(${event}.type = '${type}' AND ${event}.status NOT IN (${others}), 1, 0)`;
}
