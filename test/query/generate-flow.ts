// Seeded questions about paths for oracle-flow.ts.
import type { Random } from "./generate.ts";
import { makeEventFilter, makeFollowed, makeStep, type Source } from "./generate-funnel.ts";
import { type FlowQuery, nodeOf } from "./oracle-flow.ts";

export function generateFlow(random: Random, source: Source): FlowQuery {
  const start = random.pick(source.events);
  const filters = random.chance(0.2) ? [makeEventFilter(random, random.pick(source.events))] : undefined;
  return {
    ...makeFollowed(random, source),
    start_step: random.chance(0.4) ? { type: "event", event: "page" } : makeStep(random, start),
    ...(random.chance(0.4) ? { end_step: makeStep(random, random.pick(source.events)) } : {}),
    ...(random.chance(0.3) ? { through: makeThrough(random, source) } : {}),
    ...(filters === undefined ? {} : { global_filters: filters }),
    ...(random.chance(0.4) ? { include_exits: true } : {}),
    window_seconds: random.pick([1, 3600, 43_200, 43_200, 86_400, 604_800]),
    max_steps: random.pick([0, 2, 3, 4, 4, 10, 99]),
    nodes_per_step: random.pick([1, 2, 3, 20, 50]),
  };
}

/** Pages are the most frequent nodes: paths through two other events are rare. */
function makeThrough(random: Random, { events }: Source): string[] {
  return Array.from({ length: random.pick([1, 2, 3, 11]) }, () =>
    random.chance(0.6) ? "" : nodeOf(random.pick(events)),
  );
}
