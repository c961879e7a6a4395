/** The value under which an event's revenue counts: its own value of a column, or that of its session's first touch. */
import { REVENUE_COLUMNS } from "../contract/metric-columns.ts";

/** An event with a signal keeps its own values of these columns, even if some of them are empty. */
const ACQUIRED: readonly string[] = [
  "referrer",
  "referrer_url",
  "ref",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_term",
  "utm_content",
  "channel",
];
/** The event's own value. If it is empty and the event has no signal: the value of the first touch. */
const PLACES: readonly string[] = ["origin", "pathname", "builder_codes"];

/**
 * An event has a signal when it shows itself how its visitor arrived. `e` is a relation with the columns of `events`.
 */
const SIGNAL = `(e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != '')`;

/**
 * The value of a column under which revenue of event `e` in session `s` counts. Only columns of the contract are
 * allowed.
 */
export function revenueValue(column: string): string {
  if (!(REVENUE_COLUMNS as readonly string[]).includes(column)) throw new Error(`revenue has no column ${column}`);
  const own = column === "channel" ? "e.acquisition" : `e.${column}`;
  if (column === "event") return own;
  if (ACQUIRED.includes(column)) return `if(${SIGNAL}, ${own}, s.${column})`;
  if (PLACES.includes(column)) return `multiIf(${own} != '', ${own}, ${SIGNAL}, '', s.${column})`;
  return `if(${own} != '', ${own}, s.${column})`;
}

/** The value as shown in reports: an empty referrer is Direct. */
export function shownValue(column: string, value: string): string {
  return column === "referrer" ? `if(${value} = '', 'Direct', ${value})` : value;
}
