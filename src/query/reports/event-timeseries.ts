import { REPORT_LIMITS } from "../../contract/analytics.ts";
import { columnOfGroup, EVENT_GROUPS } from "../../contract/metric-columns.ts";
import { isPlain, ofSession, readConditions } from "../conditions.ts";
import { readParts, toCtes, unionOf } from "../parts.ts";
import { type Asked, type Asking, defineReport } from "../report.ts";
import { chooseEvents, dirtyEvents } from "./chosen-events.ts";

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
      ctes: [...ctes, ...toCtes(PARTS, ["daily", "top", "counts"], { every: unionOf(keyed, "date, event_key, n") })],
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

const EVENT_KEY = "if(type = 'track' AND event != '', event, type)";
const ONE = "toInt64(1)";

/** `keyed` are relations of days, keys and numbers of events. */
type Keyed = Pick<Asked, "ctes" | "params"> & { keyed: readonly string[] };

function keyEvents({ column, exclude }: Own, asking: Asking): Keyed {
  if (column !== undefined) return keyByColumn(column, exclude, asking);
  const key = EVENT_KEY;
  if (!isPlain(asking)) {
    const { ctes, params, passed } = chooseEvents(asking);
    return { ctes: [...ctes, ...toCtes(PARTS, ["keyed"], { key, passed, n: ONE })], params, keyed: ["keyed"] };
  }
  const { ctes, passed } = dirtyEvents();
  const [clean] = toCtes(PARTS, ["keyed"], { key, passed: "clean", n: "n" });
  return {
    ctes: [
      ...ctes,
      ...toCtes(PARTS, ["clean", "keyed"], { key, passed, n: ONE }),
      { name: "keyed_clean", sql: clean?.sql ?? "" },
    ],
    params: {},
    keyed: ["keyed", "keyed_clean"],
  };
}

function keyByColumn(column: string, exclude: readonly string[], asking: Asking): Keyed {
  const value = `if(v.${column} = '', 'Direct', v.${column})`;
  const { texts, params, hasEvents } = readConditions(asking, ofSession);
  if (exclude.length === 0 && !hasEvents)
    return { ctes: toCtes(PARTS, ["keyed_sessions"], { ...texts, key: value }), params, keyed: ["keyed_sessions"] };
  const chosen = chooseEvents(asking, value);
  const keyed = toCtes(PARTS, ["keyed"], { key: "value", passed: chosen.passed, n: ONE });
  return { ctes: [...chosen.ctes, ...keyed], params: chosen.params, keyed: ["keyed"] };
}
