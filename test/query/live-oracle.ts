// The numbers of the last minutes, computed from a list of events with Maps and loops: see oracle.ts.
import {
  compareBytes,
  meetsEventFilters,
  meetsSessionFilters,
  type OracleEvent,
  type OracleQuery,
  sessionsOf,
  textOf,
  visitorOf,
} from "./oracle.ts";

export interface LiveOracleQuery {
  projects: string[];
  excludeBots: string[];
  filters: OracleQuery["filters"];
  nowMs: number;
}

interface Seen extends OracleEvent {
  /** Its session, over all projects. */
  session: string;
  source: string;
  country: string;
}

const MINUTE = 60_000;

export function answerLive(events: readonly OracleEvent[], query: LiveOracleQuery) {
  const to = Math.floor(query.nowMs / MINUTE) * MINUTE + MINUTE;
  const from = to - 30 * MINUTE;
  const seen = listSeen(events, query).filter(({ timestamp }) => timestamp >= from && timestamp < to);
  const live = seen.filter(({ type, timestamp }) => type === "page" && timestamp >= query.nowMs - 10 * MINUTE);
  const pages = seen.filter(({ type }) => type === "page");
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    now: { live_visitors: new Set(live.map(({ session }) => session)).size, ...count(seen) },
    minutes: Array.from({ length: 30 }, (_, nth) => {
      const start = from + nth * MINUTE;
      const ofMinute = seen.filter(({ timestamp }) => timestamp >= start && timestamp < start + MINUTE);
      return { minute: new Date(start).toISOString(), ...count(ofMinute) };
    }),
    top_pages: rank(pages, ({ origin, pathname }) => ({ origin, pathname }), ["pathname", "origin"]),
    top_chains: rank(
      seen.filter(({ chain_id }) => chain_id !== ""),
      ({ chain_id }) => ({ chain_id }),
      ["chain_id"],
    ),
    top_countries: rank(seen, ({ country }) => ({ location: country }), ["location"]),
    top_sources: rank(seen, ({ source }) => ({ referrer: source }), ["referrer"]),
  };
}

/** The events of two days that match the filters, with the first touch of their sessions. */
function listSeen(events: readonly OracleEvent[], query: LiveOracleQuery): Seen[] {
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const days = { projects: query.projects, from: dayOf(query.nowMs - 86_400_000), to: dayOf(query.nowMs + 86_400_000) };
  return sessionsOf(events, days).flatMap(({ project, events: ofSession, firstTouch }, nth) => {
    if (query.excludeBots.includes(project) && firstTouch.device === "bot") return [];
    if (!meetsSessionFilters(query, (field) => textOf(firstTouch, field))) return [];
    const { referrer, location } = firstTouch;
    const source = referrer === "" ? "Direct" : referrer;
    return ofSession
      .filter((event) => meetsEventFilters(query, event))
      .map((event) => ({ ...event, session: String(nth), source, country: location }));
  });
}

function count(seen: readonly Seen[]) {
  const distinct = (of: (event: Seen) => string) =>
    new Set(seen.filter((event) => of(event) !== "").map((event) => JSON.stringify([event.project_id, of(event)])))
      .size;
  return {
    visitors: distinct(visitorOf),
    sessions: distinct(({ session }) => session),
    wallets: distinct(({ address }) => address),
    events: seen.length,
    page_views: seen.filter(({ type }) => type === "page").length,
  };
}

/** The first ten values: most visitors, then sessions, then page views, then the value's bytes. */
function rank<T extends Record<string, string>>(
  seen: readonly Seen[],
  readValue: (event: Seen) => T,
  order: readonly (keyof T)[],
) {
  const groups = Map.groupBy(seen, (event) => JSON.stringify(readValue(event)));
  const rows = [...groups].map(([value, ofValue]) => ({ ...(JSON.parse(value) as T), ...count(ofValue) }));
  return rows
    .sort(
      (a, b) =>
        b.visitors - a.visitors ||
        b.sessions - a.sessions ||
        b.page_views - a.page_views ||
        order.map((name) => compareBytes(String(a[name]), String(b[name]))).find((sign) => sign !== 0) ||
        0,
    )
    .slice(0, 10);
}
