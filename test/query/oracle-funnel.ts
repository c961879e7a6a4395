// The independent implementation of funnels: each user's events in a list, and every chain tried from every start.
import {
  compareBytes,
  isAskedSession,
  meetsEventFilters,
  type OracleAnswer,
  type OracleEvent,
  type OracleQuery,
  type Session,
  sessionsOf,
  textOf,
  visitorOf,
} from "./oracle.ts";
import { matchesStep, type OracleStep } from "./oracle-steps.ts";
import { zoneDay } from "./oracle-zone.ts";

export interface FunnelQuery extends Pick<OracleQuery, "projects" | "from" | "to" | "filters" | "excludeBots"> {
  steps: OracleStep[];
  window_seconds: number;
  within_dates?: boolean;
  funnel_type: "closed" | "open";
  group_by?: string;
  limit: number;
  attribution: "first_touch" | "last_touch";
}

interface Happened {
  event: OracleEvent;
  session: Session;
}

/** When a user reached one of the steps: the event, the one before it in the chain, and the chain's first. */
interface Reached {
  first: Happened;
  previous: Happened;
  last: Happened;
}

const DAY_MS = 86_400_000;

export function answerFunnel(events: readonly OracleEvent[], query: FunnelQuery): OracleAnswer {
  const isOpen = query.funnel_type === "open";
  const users = usersOf(events, query).map((happened) => (isOpen ? reachOpen : reachClosed)(happened, query));
  const groups = new Map<string, Reached[][]>(query.group_by === undefined ? [["", []]] : []);
  for (const reached of users) {
    const [start] = reached;
    const furthest = reached.at(-1);
    if (start === undefined || furthest === undefined) continue;
    const { session } = query.attribution === "first_touch" ? start.first : furthest.last;
    const value = query.group_by === undefined ? "" : shownTouch(session, query.group_by);
    groups.set(value, [...(groups.get(value) ?? []), reached]);
  }
  const sorted = [...groups].sort(([a, ofA], [b, ofB]) => ofB.length - ofA.length || compareBytes(a, b));
  const shown = query.group_by === undefined ? sorted : cutGroups(sorted, query.limit);
  const rows = shown.flatMap(([value, ofGroup]) => rowsOf(value, ofGroup, query));
  return { columns: columnsOf(query), rows, rowsBeforeLimit: rows.length };
}

/** The events of each visitor of each project, in order. */
function usersOf(events: readonly OracleEvent[], query: FunnelQuery): Happened[][] {
  const last =
    Date.parse(query.to) +
    (query.funnel_type === "open" || query.within_dates ? 0 : query.window_seconds * 1000 + DAY_MS);
  const to = new Date(last).toISOString().slice(0, 10);
  const users = new Map<string, Happened[]>();
  for (const session of sessionsOf(events, { ...query, to })) {
    if (!isAskedSession(query, session)) continue;
    if (!session.events.some((event) => meetsEventFilters(query, event))) continue;
    for (const event of session.events) {
      const key = JSON.stringify([event.project_id, visitorOf(event)]);
      users.set(key, [...(users.get(key) ?? []), { event, session }]);
    }
  }
  return [...users.values()].map((list) => list.sort((a, b) => compareTimes(a.event, b.event)));
}

function compareTimes(a: OracleEvent, b: OracleEvent): number {
  return a.timestamp - b.timestamp || compareBytes(a.tie ?? a.message_id, b.tie ?? b.message_id);
}

/** For each step that the user reaches: the first chain that reaches it. */
function reachClosed(happened: Happened[], { steps, window_seconds, to }: FunnelQuery): Reached[] {
  const end = Date.parse(to) / DAY_MS;
  const found: Reached[] = [];
  happened.forEach((first, from) => {
    if (zoneDay(first.event.timestamp) > end || !matchesStep(stepAt(steps, 0), first.event)) return;
    const chain = [first];
    let at = from;
    for (const step of steps.slice(1)) {
      at = happened.findIndex(({ event }, index) => index > at && matchesStep(step, event));
      const next = happened[at];
      if (next === undefined || next.event.timestamp - first.event.timestamp > window_seconds * 1000) break;
      chain.push(next);
    }
    chain.forEach((last, index) => {
      found[index] ??= { first, previous: chain[Math.max(0, index - 1)] ?? first, last };
    });
  });
  return found;
}

/** In any order. A step is reached when it and all before it have happened. */
function reachOpen(happened: Happened[], { steps }: FunnelQuery): Reached[] {
  const found: Reached[] = [];
  for (const step of steps) {
    const own = happened.find(({ event }) => matchesStep(step, event));
    if (own === undefined) break;
    const previous = found.at(-1)?.last ?? own;
    const last = compareTimes(own.event, previous.event) > 0 ? own : previous;
    found.push({ first: found[0]?.first ?? own, previous, last });
  }
  return found;
}

function stepAt(steps: OracleStep[], at: number): OracleStep {
  const step = steps[at];
  if (step === undefined) throw new Error("a funnel has steps");
  return step;
}

function shownTouch({ firstTouch }: Session, column: string): string {
  const stored = textOf(firstTouch, column === "channel_type" ? "channel" : column);
  return column === "referrer" && stored === "" ? "Direct" : stored;
}

function cutGroups(sorted: [string, Reached[][]][], limit: number): [string, Reached[][]][] {
  const top = sorted.slice(0, limit);
  const others = sorted.slice(limit).flatMap(([, users]) => users);
  if (others.length === 0) return top.sort(([a], [b]) => Number(a === "Others") - Number(b === "Others"));
  const named = top.filter(([value]) => value !== "Others");
  const own = top.filter(([value]) => value === "Others").flatMap(([, users]) => users);
  return [...named, ["Others", [...own, ...others]]];
}

function rowsOf(breakdown: string, users: Reached[][], query: FunnelQuery): Record<string, unknown>[] {
  const counts = query.steps.map((_, at) => users.filter((reached) => reached.length > at).length);
  const total = counts[0] ?? 0;
  const divide = (a: number, b: number) => (b === 0 ? null : a / b);
  return query.steps.map((step, at) => {
    const [count = 0, before = 0] = [counts[at], counts[at - 1]];
    const there = users.flatMap((reached) => reached[at] ?? []);
    return {
      ...(query.group_by === undefined ? {} : { breakdown }),
      step: at + 1,
      event: step.name,
      users: count,
      total,
      conversion_from_start: divide(count, total),
      conversion_from_previous: at === 0 ? null : divide(count, before),
      dropoff_from_previous: at === 0 ? null : divide(before - count, before),
      median_seconds_from_previous:
        at === 0 ? null : median(there.map(({ last, previous }) => between(previous, last))),
      median_seconds_from_start: at === 0 ? null : median(there.map(({ last, first }) => between(first, last))),
      ...(query.funnel_type === "open" ? { dropped_off_users: at === 0 ? 0 : before - count } : {}),
    };
  });
}

function between(a: Happened, b: Happened): number {
  return b.event.timestamp - a.event.timestamp;
}

function median(values: number[]): number | null {
  const sorted = values.sort((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2000;
}

function columnsOf({ group_by, funnel_type }: FunnelQuery): string[] {
  return [
    ...(group_by === undefined ? [] : ["breakdown"]),
    ...["step", "event", "users", "total"],
    ...["conversion_from_start", "conversion_from_previous", "dropoff_from_previous"],
    ...["median_seconds_from_previous", "median_seconds_from_start"],
    ...(funnel_type === "open" ? ["dropped_off_users"] : []),
  ];
}
