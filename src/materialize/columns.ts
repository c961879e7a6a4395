/** What an event with revenue counts under: its own value of a column, or that of its session's first touch. */
import { REVENUE_COLUMNS } from "../contract/metric-columns.ts";

/** An event with a signal keeps its own values of these, also where one of them is empty. */
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
/** Its own; without one and without a signal that of the first touch. */
const PLACES: readonly string[] = ["origin", "pathname", "builder_codes"];

/** An event has a signal when it tells itself where its visitor came from. `e` is a relation with the columns of `events`. */
const SIGNAL = `(e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != '' OR e.utm_medium != ''
    OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != '')`;

/** The value of a column that revenue of the event `e` in the session `s` counts under. Names come from the contract's list alone. */
export function revenueValue(column: string): string {
  if (!(REVENUE_COLUMNS as readonly string[]).includes(column)) throw new Error(`revenue has no column ${column}`);
  const own = column === "channel" ? "e.acquisition" : `e.${column}`;
  if (column === "event") return own;
  if (ACQUIRED.includes(column)) return `if(${SIGNAL}, ${own}, s.${column})`;
  if (PLACES.includes(column)) return `multiIf(${own} != '', ${own}, ${SIGNAL}, '', s.${column})`;
  return `if(${own} != '', ${own}, s.${column})`;
}

/** As reports show it: no referrer is Direct. */
export function shownValue(column: string, value: string): string {
  return column === "referrer" ? `if(${value} = '', 'Direct', ${value})` : value;
}
