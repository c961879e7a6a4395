/** Reports of sessions by a column of their first touch. */
import { shownValue } from "../../materialize/columns.ts";
import { isPlain, ofSession, readConditions } from "../report/conditions.ts";
import { readParts, toCtes } from "../report/parts.ts";
import type { Report } from "../report/report.ts";
import { IMPORTED_COLUMNS, withImportedCounts } from "./imported-counts.ts";
import { defineTop, HITS, keptValues, SESSIONS, VISITORS } from "./top.ts";

const PLAIN = readParts("top_sources");
const FILTERED = readParts("top_sources_filtered");
const OF_COLUMN = "r.dimension = {dimension:String}";

export interface TopTouch {
  readonly columns: readonly string[];
  readonly defaultColumn: string;
}

export function defineTopTouch({ columns, defaultColumn }: TopTouch): Report {
  return defineTop({
    columns,
    defaultColumn,
    measures: [HITS, SESSIONS, VISITORS],
    imported: IMPORTED_COLUMNS,
    plan(column, context) {
      const all = { value: shownValue(column, `v.${column}`), kept: keptValues(column) };
      const { texts, params, hasEvents } = readConditions(context, ofSession);
      if (isPlain(context))
        return withImportedCounts(
          {
            ctes: toCtes(PLAIN, ["clean", "dirty", "known", "counts"], {
              ...all,
              of_dimension: OF_COLUMN,
              bots: texts.bots,
            }),
            params: { dimension: column },
          },
          context,
          column,
          "values",
        );
      const [parts, chosen] = hasEvents
        ? [["chosen", "matching", "chosen_by_events"], "chosen_by_events"]
        : [["chosen"], "chosen"];
      return { ctes: toCtes(FILTERED, [...parts, "counts"], { ...texts, ...all, chosen }), params };
    },
  });
}
