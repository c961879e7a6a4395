import { REPORT_LIMITS } from "../../contract/analytics.ts";
import { columnOfGroup, EVENT_GROUPS } from "../../contract/metric-columns.ts";
import { isPlain, ofSession, readConditions } from "../report/conditions.ts";
import { readParts, toCtes, unionOf } from "../report/parts.ts";
import { defineReport, type ReportContext, type ReportStatement } from "../report/report.ts";
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
  plan(own, context) {
    const { ctes, params, keyed } = keyEvents(own, context);
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
type Keyed = Pick<ReportStatement, "ctes" | "params"> & { keyed: readonly string[] };

function keyEvents({ column, exclude }: Own, context: ReportContext): Keyed {
  if (column !== undefined) return keyByColumn(column, exclude, context);
  const key = EVENT_KEY;
  if (!isPlain(context)) {
    const { ctes, params, passed } = chooseEvents(context);
    return { ctes: [...ctes, ...toCtes(PARTS, ["keyed"], { key, passed, n: ONE })], params, keyed: ["keyed"] };
  }
  const { ctes, passed } = dirtyEvents(context, "open_events");
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

function keyByColumn(column: string, exclude: readonly string[], context: ReportContext): Keyed {
  const value = `if(v.${column} = '', 'Direct', v.${column})`;
  const { texts, params, hasEvents } = readConditions(context, ofSession);
  if (exclude.length === 0 && !hasEvents)
    return { ctes: toCtes(PARTS, ["keyed_sessions"], { ...texts, key: value }), params, keyed: ["keyed_sessions"] };
  const chosen = chooseEvents(context, value);
  const keyed = toCtes(PARTS, ["keyed"], { key: "value", passed: chosen.passed, n: ONE });
  return { ctes: [...chosen.ctes, ...keyed], params: chosen.params, keyed: ["keyed"] };
}
