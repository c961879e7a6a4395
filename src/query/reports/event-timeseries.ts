import { REPORT_LIMITS } from "../../contract/analytics.ts";
import { columnOfGroup, EVENT_GROUPS } from "../../contract/metric-columns.ts";
import { ofSession, readConditions } from "../conditions.ts";
import { readParts, toCtes } from "../parts.ts";
import { type Asked, type Asking, defineReport } from "../report.ts";
import { chooseEvents } from "./chosen-events.ts";

const PARTS = readParts("event_timeseries");

interface Own {
  /** The column of the first touch. Undefined: by the names of events. */
  readonly column: string | undefined;
  readonly exclude: readonly string[];
  readonly keys: number;
}

export const eventTimeseries = defineReport<Own>({
  read({ group_by, exclude, limit }) {
    const column = columnOfGroup(EVENT_GROUPS, group_by);
    return {
      column,
      exclude: typeof exclude === "string" ? exclude.split(",").map((type) => type.trim()) : [],
      keys: limit ?? (column === undefined ? REPORT_LIMITS.eventNames : REPORT_LIMITS.eventKeys),
    };
  },
  ask(own, asking) {
    const { ctes, params, keyed } = keyEvents(own, asking);
    return {
      ctes: [...ctes, ...toCtes(PARTS, ["daily", "top", "counts"], { keyed })],
      params: { ...params, exclude: own.exclude, keys: own.keys },
      columns: [
        { name: "date", type: "Date" },
        { name: "event_key", type: "String", from: "shown_key" },
        { name: "count", type: "UInt64", from: "n" },
      ],
      order: ["date", "n DESC", "shown_key"],
    };
  },
});

function keyEvents({ column, exclude }: Own, asking: Asking): Pick<Asked, "ctes" | "params"> & { keyed: string } {
  const value = column === undefined ? undefined : `if(v.${column} = '', 'Direct', v.${column})`;
  const { texts, params, hasEvents } = readConditions(asking, ofSession);
  if (value !== undefined && exclude.length === 0 && !hasEvents)
    return { ctes: toCtes(PARTS, ["keyed_sessions"], { ...texts, key: value }), params, keyed: "keyed_sessions" };
  const chosen = chooseEvents(asking, value);
  const key = value === undefined ? "if(type = 'track' AND event != '', event, type)" : "value";
  const ctes = toCtes(PARTS, ["keyed"], { key, passed: chosen.passed });
  return { ctes: [...chosen.ctes, ...ctes], params: chosen.params, keyed: "keyed" };
}
