import { isPlain, ofSession, readConditions } from "../conditions.ts";
import { readParts, toCtes } from "../parts.ts";
import { defineTop, SESSIONS, VISITORS } from "./top.ts";

const PLAIN = readParts("top_chains");
const FILTERED = readParts("top_chains_filtered");

export const topChains = defineTop({
  columns: ["chain_id"],
  defaultColumn: "chain_id",
  measures: [SESSIONS, VISITORS],
  ask(_column, asking) {
    if (isPlain(asking)) return { ctes: toCtes(PLAIN, ["clean", "dirty", "known", "counts"], {}), params: {} };
    const { texts, params, hasEvents } = readConditions(asking, ofSession);
    const chosen = hasEvents ? "chosen_by_events" : "chosen";
    return { ctes: toCtes(FILTERED, [chosen, "counts"], { ...texts, chosen }), params };
  },
});
