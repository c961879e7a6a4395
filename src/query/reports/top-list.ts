/** Reports of the values that sessions list, with the sessions and visitors of each. */
import { isPlain, ofSession, readEventConditions } from "../report/conditions.ts";
import { readParts, toCtes } from "../report/parts.ts";
import type { Report } from "../report/report.ts";
import { defineTop, SESSIONS, VISITORS } from "./top.ts";

const PLAIN = readParts("top_lists");
const FILTERED = readParts("top_lists_filtered");

export interface TopList {
  /** The column of events, the report's column and the dimension of rollups. */
  readonly column: string;
  /** The column of sessions that lists its values. */
  readonly list: string;
}

export function defineTopList({ column, list }: TopList): Report {
  return defineTop({
    columns: [column],
    defaultColumn: column,
    measures: [SESSIONS, VISITORS],
    plan(_column, context) {
      const { ctes, texts, params, hasEvents } = readEventConditions(context, ofSession);
      if (isPlain(context))
        return {
          ctes: toCtes(PLAIN, ["clean", "dirty", "known", "dirty_counts", "counts"], { list, bots: texts.bots }),
          params: { dimension: column },
        };
      const chosen = hasEvents ? "chosen_by_events" : "chosen";
      const all = { ...texts, list, value: `e.${column}`, chosen };
      return { ctes: [...ctes, ...toCtes(FILTERED, [chosen, "counts"], all)], params };
    },
  });
}
