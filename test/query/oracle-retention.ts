// The independent implementation of retention: each user's active days in a list.
import { compareBytes, meetsSums, type OracleAnswer, type OracleEvent, type OracleFilter, textOf } from "./oracle.ts";
import { matchesFilter } from "./oracle-steps.ts";
import { dayName, numberOf, type UsersQuery, usersOf, visitorOf } from "./oracle-users.ts";
import { zoneDay } from "./oracle-zone.ts";

export interface RetentionQuery extends UsersQuery {
  id_type: "address" | "anonymous_id";
  interval: "day" | "week" | "month";
  retention_type: "rolling" | "recurring";
  event_type?: string;
  event_name?: string;
  entry_type?: string;
  entry_name?: string;
  min_users: number;
  limit: number;
  user_filters?: OracleFilter[];
}

interface Member {
  project: string;
  days: number[];
}

const TOUCH = "device|browser|os|location|utm_source|utm_medium|utm_campaign|utm_term|utm_content".split("|");

/** `today` is a number of days since 1970. */
export function answerRetention(events: readonly OracleEvent[], query: RetentionQuery, today: number): OracleAnswer {
  const [first, last] = [numberOf(query.from), numberOf(query.to)];
  const members = membersOf(events, query, last).filter(({ days: [start = 0] }) => start >= first && start <= last);
  const rows = query.projects.toSorted().map((project) => {
    const own = members.filter((member) => member.project === project);
    const retained = [7, 30, 90].map((age) => own.filter((member) => isBack(member, age, query)).length);
    const startOf = ({ days: [start = 0] }: Member) => beginningOf(start, query.interval);
    const starts = [...new Set(own.map(startOf))].sort((a, b) => a - b);
    const cohorts = starts.map((start) => {
      const cohort = own.filter((member) => startOf(member) === start);
      const shares = Array.from({ length: 14 }, (_, nth) => {
        const [from, to] = [later(start, nth, query.interval), later(start, nth + 1, query.interval)];
        if (from > Math.min(last, today)) return null;
        const isActive = (day: number) => day >= from && (query.retention_type === "rolling" || day < to);
        return (cohort.filter(({ days }) => days.some(isActive)).length * 100) / cohort.length;
      });
      return [project, dayName(start), cohort.length, ...shares] as const;
    });
    const least = (query.user_filters ?? []).length > 0 ? 0 : query.min_users;
    return {
      metric: [
        project,
        own.length,
        ...retained,
        ...retained.map((count) => (own.length === 0 ? 0 : count / own.length)),
      ],
      user: cohorts.filter(([, , size]) => size >= least).slice(-query.limit),
    };
  });
  return { columns: ["metric", "user"], rows, rowsBeforeLimit: rows.length };
}

/** Active on the nth day after the first, or, rolling, then or later. */
function isBack({ days }: Member, nth: number, { retention_type }: RetentionQuery): boolean {
  const [start = 0] = days;
  return days.some((day) => (retention_type === "rolling" ? day - start >= nth : day - start === nth));
}

function beginningOf(day: number, interval: RetentionQuery["interval"]): number {
  if (interval === "week") return mondayOf(day);
  return interval === "day" ? day : day - new Date(day * 86_400_000).getUTCDate() + 1;
}

/** The beginning of the nth interval after one. */
function later(start: number, nth: number, interval: RetentionQuery["interval"]): number {
  if (interval !== "month") return start + nth * (interval === "week" ? 7 : 1);
  const date = new Date(start * 86_400_000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + nth, 1) / 86_400_000;
}

/** The Monday of the week. 1970-01-01 was a Thursday. */
function mondayOf(day: number): number {
  const weekday = (new Date(day * 86_400_000).getUTCDay() + 6) % 7;
  return day - weekday;
}

function membersOf(events: readonly OracleEvent[], query: RetentionQuery, last: number): Member[] {
  const identify = query.id_type === "address" ? ({ address }: OracleEvent) => address : visitorOf;
  const users = usersOf(events, query, { from: 0, to: last }, identify);
  return users.flatMap(({ project, sessions, events: own }) => {
    const isMoney = ({ field }: OracleFilter) => ["volume", "revenue", "points"].includes(field);
    const [sample] = own;
    if (sample === undefined) return [];
    const sum = (field: "volume" | "revenue" | "points") =>
      Number(own.reduce((all, event) => all + BigInt(Math.round(event[field] * 1e9)), 0n)) / 1e9;
    const sums = { ...sample, volume: sum("volume"), revenue: sum("revenue"), points: sum("points") };
    const filters = query.user_filters ?? [];
    if (!meetsSums({ filters: filters.filter(isMoney) }, sums)) return [];
    const [opening] = sessions
      .map((session) => ({ session, at: Math.min(...session.events.map(({ timestamp }) => timestamp)) }))
      .sort((a, b) => a.at - b.at || compareTouches(a.session.firstTouch, b.session.firstTouch));
    if (opening === undefined) return [];
    if (
      !filters.filter((filter) => !isMoney(filter)).every((filter) => matchesFilter(filter, opening.session.firstTouch))
    )
      return [];
    const daysOf = (wantedType = "", wantedName = "") => {
      const acts = own.filter(({ type, event }) => type === (wantedType || type) && event === (wantedName || event));
      return [...new Set(acts.map(({ timestamp }) => zoneDay(timestamp)))].sort((a, b) => a - b);
    };
    const acted = daysOf(query.event_type, query.event_name);
    if (query.entry_type === undefined && query.entry_name === undefined)
      return acted.length === 0 ? [] : [{ project, days: acted }];
    const [entry] = daysOf(query.entry_type === "any" ? "" : query.entry_type, query.entry_name);
    if (entry === undefined) return [];
    return [{ project, days: [entry, ...acted.filter((day) => day >= entry)] }];
  });
}

function compareTouches(a: OracleEvent, b: OracleEvent): number {
  for (const column of TOUCH) {
    const order = compareBytes(textOf(a, column), textOf(b, column));
    if (order !== 0) return order;
  }
  return 0;
}
