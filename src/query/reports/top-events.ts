import { isPlain } from "../report/conditions.ts";
import { readParts, toCtes, unionOf } from "../report/parts.ts";
import { defineReport, type Report } from "../report/report.ts";
import { chooseEvents, dirtyEvents } from "./chosen-events.ts";
import { HITS, orderOf } from "./top.ts";

const PARTS = readParts("top_events");

/** Custom events are those that an app names itself. */
const KINDS = { all: "1 = 1", custom: "type = 'track' AND event != ''" } as const;

function defineTopEvents(read: (type: unknown) => keyof typeof KINDS): Report {
  return defineReport<keyof typeof KINDS>({
    read: ({ type }) => read(type),
    plan(kind, context) {
      const isFromRollups = isPlain(context);
      const { ctes, params, passed } = isFromRollups ? dirtyEvents(context, "open_events") : chooseEvents(context);
      const parts = isFromRollups ? ["clean", "counted"] : ["counted"];
      const every = unionOf(parts, "project_id, type, event, n_hits");
      return {
        ctes: [...ctes, ...toCtes(PARTS, [...parts, "counts"], { passed, every, kind: KINDS[kind] })],
        params,
        columns: [
          { name: "project_id", type: "String" },
          { name: "type", type: "String" },
          { name: "event", type: "String" },
          HITS,
        ],
        order: orderOf([HITS], ["type", "event"]),
        page: context,
      };
    },
  });
}

export const topEvents = defineTopEvents((type) => (type === "custom" ? "custom" : "all"));
/** The former name of top_events with the type `custom`. */
export const topCustomEvents = defineTopEvents(() => "custom");
