// The independent implementation of the reports about users: lists of their sessions and events, one user at a time.
import {
  isAskedSession,
  meetsEventFilters,
  meetsSums,
  type OracleAnswer,
  type OracleEvent,
  type OracleFilter,
  type OracleQuery,
  type Session,
  sessionsOf,
  visitorOf,
} from "./oracle.ts";
import { zoneDay } from "./oracle-zone.ts";

export interface OracleBehaviour {
  event: string;
  event_type?: string;
  op: string;
  times: number;
  date_from?: string;
  date_to?: string;
  relative_to?: "first_seen";
  window?: { value: number; unit: "hour" | "day" };
}

export interface UsersQuery extends Pick<OracleQuery, "projects" | "from" | "to" | "filters" | "excludeBots"> {
  behavior_filters?: OracleBehaviour[];
  source_filter?: OracleFilter[];
  channel_filter?: OracleFilter[];
  /** Conditions on the field `lifecycle`. */
  stages?: OracleFilter[];
  include_previous_period?: boolean;
}

export interface LifecycleQuery extends UsersQuery {
  days: Record<Threshold, number>;
}

export type Threshold =
  | ("new_window_days" | "churn_window_days" | "power_user_min_active_days" | "power_user_window_days")
  | ("resurrected_gap_days" | "at_risk_min_days_inactive" | "at_risk_prior_active_days_threshold");

interface User {
  key: string;
  project: string;
  /** In the period, without those of bots. */
  sessions: Session[];
  /** Up to the end of the period, without those of bots. */
  events: OracleEvent[];
}

const DAY_MS = 86_400_000;
const dayNumber = (ms: number) => Math.floor(ms / DAY_MS);
const dayName = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
const numberOf = (day: string) => Math.max(0, dayNumber(Date.parse(day)));

/** The users with a session in the period that meet the filters. */
export function usersOf(
  events: readonly OracleEvent[],
  query: UsersQuery,
  period: { from: number; to: number },
  identify: (event: OracleEvent) => string = ({ address }) => address,
): User[] {
  const users = new Map<string, User>();
  const all =
    period.from > period.to ? [] : sessionsOf(events, { ...query, from: "1970-01-01", to: dayName(period.to) });
  for (const session of all) {
    if (!isAskedSession({ ...query, filters: [] }, session)) continue;
    const isInPeriod = zoneDay(session.firstTouch.timestamp) >= period.from;
    const seen = new Set<User>();
    for (const event of session.events) {
      const id = identify(event);
      if (id === "") continue;
      const key = JSON.stringify([session.project, id]);
      const user = users.get(key) ?? { key, project: session.project, sessions: [], events: [] };
      users.set(key, user);
      user.events.push(event);
      if (isInPeriod && !seen.has(user)) user.sessions.push(session);
      seen.add(user);
    }
  }
  return [...users.values()].filter((user) => user.sessions.length > 0 && isChosen(user, query, period));
}

const MONEY = ["revenue", "volume", "points"] as const;

function isChosen(user: User, query: UsersQuery, { from }: { from: number }): boolean {
  const isMoney = ({ field }: OracleFilter) => (MONEY as readonly string[]).includes(field);
  const others = query.filters.filter((filter) => !isMoney(filter));
  const isFound = user.sessions.some(
    (session) =>
      isAskedSession({ ...query, filters: others }, session) &&
      (query.channel_filter ?? []).every((filter) => meetsOne(filter, session.firstTouch.acquisition)) &&
      session.events.some(
        (event) =>
          meetsEventFilters({ filters: others }, event) &&
          (query.source_filter ?? []).every((filter) => meetsOne(filter, event.channel ?? "web")),
      ),
  );
  if (!isFound) return false;
  const sums = Object.fromEntries(MONEY.map((field) => [field, sumOf(user, field, from)]));
  const [sample] = user.events;
  if (sample === undefined) throw new Error("a user has events");
  if (!meetsSums({ filters: query.filters.filter(isMoney) }, { ...sample, ...sums })) return false;
  return (query.behavior_filters ?? []).every((behaviour) => hasDone(user, behaviour));
}

function sumOf({ events }: User, field: (typeof MONEY)[number], from: number): number {
  const counted = events.filter(({ timestamp }) => zoneDay(timestamp) >= from);
  return Number(counted.reduce((sum, event) => sum + BigInt(Math.round(event[field] * 1e9)), 0n)) / 1e9;
}

function meetsOne({ op, value }: OracleFilter, stored: string): boolean {
  const list = Array.isArray(value) ? value.map(String) : String(value).split("|");
  if (op === "eq") return stored === String(value);
  if (op === "neq") return stored !== String(value);
  if (op === "in") return list.includes(stored);
  if (op === "nin") return !list.includes(stored);
  throw new Error(`no operator ${op}`);
}

function hasDone({ events }: User, { event: name, event_type, op, times, ...when }: OracleBehaviour): boolean {
  const first = Math.min(...events.map(({ timestamp }) => timestamp));
  const done = events.filter(({ type, event, timestamp }) => {
    const isNamed = type === "track" || type === "decoded_log";
    if (event_type === undefined ? type !== name && !(isNamed && event === name) : type !== event_type) return false;
    if (event_type !== undefined && isNamed && event !== name) return false;
    if (when.relative_to !== undefined) {
      const { value = 0, unit } = when.window ?? {};
      return timestamp - first <= value * (unit === "hour" ? DAY_MS / 24 : DAY_MS);
    }
    const day = dayName(zoneDay(timestamp));
    return day >= (when.date_from ?? "") && day <= (when.date_to ?? "9999");
  }).length;
  const compare: Record<string, boolean> = {
    eq: done === times,
    neq: done !== times,
    gt: done > times,
    gte: done >= times,
    lt: done < times,
    lte: done <= times,
  };
  return compare[op] ?? assertNever(op);
}

function assertNever(op: string): never {
  throw new Error(`no operator ${op}`);
}

/** The window, or as many days directly before it. */
function periodOf({ from, to }: UsersQuery, isPrevious: boolean): { from: number; to: number } {
  const [first, last] = [numberOf(from), numberOf(to)];
  if (!isPrevious) return { from: first, to: last };
  return { from: Math.max(0, first - (last - first + 1)), to: first - 1 };
}

const STAGES = ["New", "Returning", "Power user", "Resurrected", "At Risk", "Churned"];

export function answerLifecycle(events: readonly OracleEvent[], query: LifecycleQuery): OracleAnswer {
  const count = (isPrevious: boolean) => {
    const reference = periodOf(query, isPrevious).to;
    return usersOf(events, query, { from: 0, to: reference })
      .map(({ project, sessions }) => ({
        project,
        kind: stageOf(daysOf(sessions), reference, query.days),
        sessions: 0,
      }))
      .filter(({ kind }) => meetsStages(query, kind));
  };
  return toAnswer(query, STAGES, "user_type", count, false);
}

function daysOf(sessions: readonly Session[]): number[] {
  return [...new Set(sessions.map((session) => zoneDay(session.firstTouch.timestamp)))];
}

function meetsStages({ stages = [] }: UsersQuery, stage: string): boolean {
  return stages.every((filter) => meetsOne(filter, stage));
}

function stageOf(active: number[], reference: number, limits: LifecycleQuery["days"]): string {
  const days = active.sort((a, b) => a - b);
  const ages = days.map((day) => reference - day);
  const lastAge = Math.min(...ages);
  if (lastAge >= limits.churn_window_days) return "Churned";
  if (Math.max(...ages) < limits.new_window_days) return "New";
  if (ages.filter((age) => age < limits.power_user_window_days).length >= limits.power_user_min_active_days)
    return "Power user";
  const isBack = days.some((day, at) => {
    const before = days[at - 1];
    const isRecent = reference - day < limits.churn_window_days;
    return before !== undefined && isRecent && day - before >= limits.resurrected_gap_days;
  });
  if (isBack) return "Resurrected";
  const churn = limits.churn_window_days;
  const prior = ages.filter((age) => age >= churn && age < 2 * churn).length;
  const isAway = lastAge >= limits.at_risk_min_days_inactive;
  return isAway && prior >= limits.at_risk_prior_active_days_threshold ? "At Risk" : "Returning";
}

const DEFAULT_DAYS: LifecycleQuery["days"] = {
  ...{ new_window_days: 30, churn_window_days: 30, power_user_min_active_days: 5, power_user_window_days: 30 },
  ...{ resurrected_gap_days: 30, at_risk_min_days_inactive: 14, at_risk_prior_active_days_threshold: 1 },
};

const BUCKETS = ["1 session", "2 - 10 sessions", "10 - 30 sessions", "30 - 50 sessions", "> 50 sessions"];

export function answerFrequency(events: readonly OracleEvent[], query: UsersQuery): OracleAnswer {
  const count = (isPrevious: boolean) => {
    const period = periodOf(query, isPrevious);
    const { behavior_filters: _b, source_filter: _s, channel_filter: _c, ...others } = query;
    const plain = { ...others, filters: [] };
    const known = query.stages === undefined ? [] : usersOf(events, plain, { from: 0, to: period.to });
    const stages = new Map(known.map(({ key, sessions }) => [key, stageOf(daysOf(sessions), period.to, DEFAULT_DAYS)]));
    return usersOf(events, query, period)
      .filter(({ key }) => meetsStages(query, stages.get(key) ?? ""))
      .map(({ project, sessions }) => {
        const at = [1, 10, 30, 50].findIndex((most) => sessions.length <= most);
        return { project, kind: BUCKETS[at] ?? "> 50 sessions", sessions: sessions.length };
      });
  };
  return toAnswer(query, BUCKETS, "session_bucket", count, true);
}

interface Counted {
  project: string;
  kind: string;
  sessions: number;
}

function toAnswer(
  query: UsersQuery,
  kinds: string[],
  column: string,
  count: (isPrevious: boolean) => Counted[],
  hasAverage: boolean,
): OracleAnswer {
  const periods = [["", count(false)] as const];
  const all = query.include_previous_period ? [...periods, ["_previous", count(true)] as const] : periods;
  const rows = query.projects.toSorted().flatMap((project_id) =>
    kinds.map((kind) => {
      const row: Record<string, unknown> = { project_id, [column]: kind };
      for (const [suffix, users] of all) {
        const own = users.filter((user) => user.project === project_id && user.kind === kind);
        const sessions = own.reduce((sum, user) => sum + user.sessions, 0);
        row[`user_count${suffix}`] = own.length;
        if (hasAverage) row[`avg_session_per_user${suffix}`] = own.length === 0 ? 0 : sessions / own.length;
      }
      return row;
    }),
  );
  const columns = all.flatMap(([suffix]) => [
    `user_count${suffix}`,
    ...(hasAverage ? [`avg_session_per_user${suffix}`] : []),
  ]);
  return { columns: ["project_id", column, ...columns], rows, rowsBeforeLimit: rows.length };
}

export { dayName, dayNumber, numberOf, visitorOf };
