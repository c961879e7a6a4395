/** Reports of sessions by a column of their first touch. */
import { shownValue } from "../../materialize/columns.ts";
import { isPlain, ofSession, readConditions } from "../conditions.ts";
import { readParts, toCtes } from "../parts.ts";
import type { Report } from "../report.ts";
import { defineTop, HITS, keptValues, SESSIONS, VISITORS } from "./top.ts";

const PLAIN = readParts("top_sources");
const FILTERED = readParts("top_sources_filtered");

export interface TopTouch {
  readonly columns: readonly string[];
  readonly defaultColumn: string;
}

export function defineTopTouch({ columns, defaultColumn }: TopTouch): Report {
  return defineTop({
    columns,
    defaultColumn,
    measures: [HITS, SESSIONS, VISITORS],
    ask(column, asking) {
      const all = { value: shownValue(column, `v.${column}`), kept: keptValues(column) };
      if (isPlain(asking))
        return {
          ctes: toCtes(PLAIN, ["clean", "dirty", "known", "counts"], all),
          params: { dimension: column },
        };
      const { texts, params, hasEvents } = readConditions(asking, ofSession);
      const [parts, chosen] = hasEvents
        ? [["chosen", "matching", "chosen_by_events"], "chosen_by_events"]
        : [["chosen"], "chosen"];
      return { ctes: toCtes(FILTERED, [...parts, "counts"], { ...texts, ...all, chosen }), params };
    },
  });
}
