/** What clocks of a report's time zone show. */
import { type ZoneSql, zoneSql } from "../../engines/zone-sql.ts";
import { DAY_MS } from "../../lib/time.ts";
import { UTC } from "../../lib/time-zones.ts";
import type { Days } from "./window.ts";

/** For events of the window. The clocks of no zone differ by a day from UTC. */
export function wallTime({ firstDay, lastDay }: Days, zone: string): ZoneSql {
  if (zone === UTC) return { wallMs: (ms) => ms, params: {} };
  return zoneSql(zone, Date.parse(firstDay) - DAY_MS, Date.parse(lastDay) + 2 * DAY_MS, "wall");
}
