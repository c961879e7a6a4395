// The independent reading of the filter field `events`: which people have done something so often. Every stored event of
// a person counts, of all projects' days, whatever the report leaves out.
import { type OracleEvent, type OracleFilter, personOf, withoutCopies } from "./oracle.ts";
import { matchesStep } from "./oracle-steps.ts";
import { wallOf, zoneDay } from "./oracle-zone.ts";

export interface PersonDeed {
  event: string;
  event_type?: string;
  operator: string;
  times: number;
  preset?: string;
  date_from?: string;
  date_to?: string;
  filters?: OracleFilter[];
}

const DAY_MS = 86_400_000;
const KINDS = "page connect disconnect chain signature transaction track decoded_log identify detect".split(" ");

/** The query with the people themselves in the place of what they have done. */
export function resolvePeople<T extends { filters: OracleFilter[] }>(
  events: readonly OracleEvent[],
  query: T,
  nowMs: number,
): T {
  if (!query.filters.some(({ field }) => field === "events")) return query;
  const filters = query.filters.map((filter) => {
    if (filter.field !== "events") return filter;
    const deeds = JSON.parse(Buffer.from(String(filter.value), "base64").toString()) as PersonDeed[];
    return { field: "person", op: "in", value: findPeople(events, deeds, nowMs) };
  });
  return { ...query, filters };
}

function findPeople(events: readonly OracleEvent[], deeds: readonly PersonDeed[], nowMs: number): string[] {
  const all = [...withoutCopies(events)];
  const people = [...new Set(all.map(personOf))];
  return people.filter((person) =>
    deeds.every((deed) => {
      const n = all.filter((event) => personOf(event) === person && isDeed(deed, event, nowMs)).length;
      return compares(n, deed);
    }),
  );
}

function isDeed(deed: PersonDeed, event: OracleEvent, nowMs: number): boolean {
  return isInTime(deed, event.timestamp, nowMs) && isMeant(deed, event);
}

function isMeant({ event: name, event_type, filters = [] }: PersonDeed, event: OracleEvent): boolean {
  const isNamed = event.type === "track" || event.type === "decoded_log";
  const kind = event_type ?? (KINDS.includes(name) ? name : undefined);
  if (kind === undefined) return isNamed && event.event === name && meetsAll(filters, event);
  if (kind !== event.type) return false;
  if (!isNamed) return matchesStep({ type: kind, event: "", filters }, event);
  return (event_type === undefined || name === "" || event.event === name) && meetsAll(filters, event);
}

const meetsAll = (filters: OracleFilter[], event: OracleEvent) =>
  matchesStep({ type: event.type, event: event.event, filters }, event);

function isInTime({ preset, date_from, date_to }: PersonDeed, at: number, nowMs: number): boolean {
  const [day, today] = [zoneDay(at), zoneDay(nowMs)];
  if (preset === "last_24h") return at > nowMs - DAY_MS && at <= nowMs;
  const last = /^last_(\d+)d$/.exec(preset ?? "")?.[1];
  if (last !== undefined) return day > today - Number(last) && day <= today;
  const name = new Date(wallOf(at)).toISOString().slice(0, 10);
  return (date_from === undefined || name >= date_from) && (date_to === undefined || name <= date_to);
}

function compares(n: number, { operator, times }: PersonDeed): boolean {
  switch (operator) {
    case "eq":
      return n === times;
    case "neq":
      return n !== times;
    case "gt":
      return n > times;
    case "gte":
      return n >= times;
    case "lt":
      return n < times;
    case "lte":
      return n <= times;
    default:
      throw new Error(`no operator ${operator}`);
  }
}
