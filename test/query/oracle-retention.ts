// The independent implementation of retention: each user's active days in a list.
import {
  compareBytes,
  meetsEventFilters,
  type OracleAnswer,
  type OracleEvent,
  type OracleFilter,
  textOf,
} from "./oracle.ts";
import { matchesFilter } from "./oracle-steps.ts";
import { dayName, dayNumber, numberOf, type UsersQuery, usersOf, visitorOf } from "./oracle-users.ts";

export interface RetentionQuery extends UsersQuery {
  id_type: "address" | "anonymous_id";
  retention_type: "rolling" | "recurring";
  event_type?: string;
  event_name?: string;
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
    const retained = [7, 30, 90].map((age) => own.filter((member) => isBack(member, age, 1, query)).length);
    const weeks = [...new Set(own.map(({ days: [start = 0] }) => mondayOf(start)))].sort((a, b) => a - b);
    const cohorts = weeks.map((week) => {
      const cohort = own.filter(({ days: [start = 0] }) => mondayOf(start) === week);
      const shares = Array.from({ length: 14 }, (_, nth) => {
        if (week + nth * 7 > Math.min(last, today)) return null;
        return (cohort.filter((member) => isBack(member, nth, 7, query)).length * 100) / cohort.length;
      });
      return [project, dayName(week), cohort.length, ...shares] as const;
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

/** Active in the nth day or week after the first, or, rolling, then or later. */
function isBack({ days }: Member, nth: number, length: 1 | 7, { retention_type }: RetentionQuery): boolean {
  const start = length === 7 ? mondayOf(days[0] ?? 0) : (days[0] ?? 0);
  return days.some((day) => {
    const at = Math.floor((day - start) / length);
    return retention_type === "rolling" ? at >= nth : at === nth;
  });
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
    if (!meetsEventFilters({ filters: filters.filter(isMoney) }, sums)) return [];
    const [opening] = sessions
      .map((session) => ({ session, at: Math.min(...session.events.map(({ timestamp }) => timestamp)) }))
      .sort((a, b) => a.at - b.at || compareTouches(a.session.firstTouch, b.session.firstTouch));
    if (opening === undefined) return [];
    if (
      !filters.filter((filter) => !isMoney(filter)).every((filter) => matchesFilter(filter, opening.session.firstTouch))
    )
      return [];
    const acts = own.filter(
      ({ type, event }) => type === (query.event_type || type) && event === (query.event_name || event),
    );
    const days = [...new Set(acts.map(({ timestamp }) => dayNumber(timestamp)))].sort((a, b) => a - b);
    return days.length === 0 ? [] : [{ project, days }];
  });
}

function compareTouches(a: OracleEvent, b: OracleEvent): number {
  for (const column of TOUCH) {
    const order = compareBytes(textOf(a, column), textOf(b, column));
    if (order !== 0) return order;
  }
  return 0;
}
