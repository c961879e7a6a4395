import { readParts, toCtes } from "../parts.ts";
import { defineReport, type Report } from "../report.ts";
import { chooseEvents } from "./chosen-events.ts";
import { HITS, orderOf } from "./top.ts";

const PARTS = readParts("top_events");

/** Custom events are those that an app names itself. */
const KINDS = { all: "1 = 1", custom: "type = 'track' AND event != ''" } as const;

function defineTopEvents(read: (type: unknown) => keyof typeof KINDS): Report {
  return defineReport<keyof typeof KINDS>({
    read: ({ type }) => read(type),
    ask(kind, asking) {
      const { ctes, params, passed } = chooseEvents(asking);
      return {
        ctes: [...ctes, ...toCtes(PARTS, ["counts"], { passed, kind: KINDS[kind] })],
        params,
        columns: [
          { name: "project_id", type: "String" },
          { name: "type", type: "String" },
          { name: "event", type: "String" },
          HITS,
        ],
        order: orderOf([HITS], ["type", "event"]),
        page: asking,
      };
    },
  });
}

export const topEvents = defineTopEvents((type) => (type === "custom" ? "custom" : "all"));
/** The former name of top_events with the type `custom`. */
export const topCustomEvents = defineTopEvents(() => "custom");
