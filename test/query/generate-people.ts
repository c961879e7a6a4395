// Seeded behaviours of people for oracle-people.ts. They mostly mean events that exist.
import type { Random } from "./generate.ts";
import { makeEventFilter } from "./generate-funnel.ts";
import type { OracleEvent, OracleFilter } from "./oracle.ts";
import type { PersonDeed } from "./oracle-people.ts";

const OPERATORS = ["gte", "gte", "gte", "gt", "eq", "neq", "lt", "lte"];
const PRESETS = ["last_24h", "last_7d", "last_30d", "last_90d", "all_time"];
const LONGEST_NAME = 500;

/** Sometimes with a condition on people beside the others. */
export function withPeople<T extends { filters: OracleFilter[] }>(
  random: Random,
  { events, people = 0.15 }: { events: readonly OracleEvent[]; people?: number | undefined },
  query: T,
): T {
  if (!random.chance(people)) return query;
  return { ...query, filters: [...query.filters, makePeopleFilter(random, events)] };
}

/** A condition on the field `events`. */
export function makePeopleFilter(random: Random, events: readonly OracleEvent[]): OracleFilter {
  const deeds = Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => makeDeed(random, random.pick(events)));
  return { field: "events", op: "eq", value: encodeDeeds(deeds) };
}

export function encodeDeeds(deeds: readonly PersonDeed[]): string {
  return Buffer.from(JSON.stringify(deeds)).toString("base64");
}

function makeDeed(random: Random, source: OracleEvent): PersonDeed {
  return {
    ...makeEvent(random, source),
    operator: random.pick(OPERATORS),
    times: random.pick([0, 1, 1, 1, 2, 2, 3, 5]),
    ...makeTime(random, source),
    ...(random.chance(0.3) ? { filters: [makeEventFilter(random, source)] } : {}),
  };
}

function makeEvent(random: Random, { type, event }: OracleEvent): Pick<PersonDeed, "event" | "event_type"> {
  const isNamed = type === "track" || type === "decoded_log";
  const name = event !== "" && event.length <= LONGEST_NAME ? event : "Swap";
  if (isNamed) return random.pick([{ event: name }, { event: name, event_type: type }, { event: type }]);
  const isKnown = ["page", "connect", "signature", "transaction", "identify"].includes(type);
  if (!isKnown) return { event: "page" };
  return random.chance(0.8) ? { event: type } : { event: "", event_type: type };
}

function makeTime(random: Random, { timestamp }: OracleEvent): Partial<PersonDeed> {
  if (random.chance(0.7)) return { preset: random.pick(PRESETS) };
  const day = new Date(timestamp).toISOString().slice(0, 10);
  const preset = random.chance(0.5) ? { preset: "custom" } : {};
  if (random.chance(0.4)) return { ...preset, date_from: day };
  return random.chance(0.5) ? { ...preset, date_to: day } : { ...preset, date_from: day, date_to: day };
}
