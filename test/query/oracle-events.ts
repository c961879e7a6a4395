// The independent implementation of the reports that count single events, and of those that are like the first three.
// See oracle.ts, whose sessions, filters and values it shares.
import {
  checkFilters,
  compareBytes,
  isAskedEvent,
  isAskedPayment,
  isAskedSession,
  meetsEventFilters,
  moneyValues,
  type OracleAnswer,
  type OracleEvent,
  type OracleQuery,
  resolve,
  type Session,
  sessionsOf,
  textOf,
  visitorOf,
} from "./oracle.ts";
import { wallOf } from "./oracle-zone.ts";

export interface EventsQuery extends Omit<OracleQuery, "report"> {
  report: keyof typeof REPORTS;
  type?: "custom";
  address?: string;
  exclude?: string;
  group_by?: string;
  /** The `limit` of event_timeseries. */
  keys?: number;
}

type Row = Record<string, string | number>;

/** What is counted for one row, in the order of its columns. */
interface Group {
  keys: Row;
  hits: number;
  events: number;
  sessions: Set<Session>;
  visitors: Set<string>;
  /** Billionths, so that the sum is exact. */
  revenue: bigint;
  volume: bigint;
}

class Groups {
  readonly all = new Map<string, Group>();

  get(keys: Row): Group {
    const name = JSON.stringify(keys);
    const known = this.all.get(name);
    if (known !== undefined) return known;
    const none = { hits: 0, events: 0, revenue: 0n, volume: 0n };
    const group = { keys, ...none, sessions: new Set<Session>(), visitors: new Set<string>() };
    this.all.set(name, group);
    return group;
  }
}

export function answerEvents(events: readonly OracleEvent[], query: EventsQuery): OracleAnswer {
  checkFilters(query);
  return REPORTS[query.report](sessionsOf(events, query), query);
}

/** THE list of the reports of this oracle: queries about each of them are generated. */
const REPORTS = {
  top_locations: countLocations,
  top_wallets: countWallets,
  top_events: countEvents,
  top_custom_events: countCustomEvents,
  volume_by_metric: countVolume,
  revenue_timeseries: countWalletDays,
  event_timeseries: countDays,
  heatmap: countHours,
};

export const EVENTS_REPORTS = Object.keys(REPORTS) as EventsQuery["report"][];

function countLocations(sessions: Session[], query: EventsQuery): OracleAnswer {
  const groups = new Groups();
  for (const session of sessions) {
    if (!isAskedSession(query, session)) continue;
    if (!session.events.some((event) => meetsEventFilters(query, event))) continue;
    const group = groups.get({ project_id: session.project, location: session.firstTouch.location });
    group.sessions.add(session);
    for (const event of session.events) {
      group.visitors.add(visitorOf(event));
      if (event.type === "page") group.hits += 1;
    }
  }
  return page(groups, query, ["project_id", "location"], ["hits", "sessions", "visitors"]);
}

function countWallets(sessions: Session[], query: EventsQuery): OracleAnswer {
  const groups = new Groups();
  for (const [session, event] of askedEvents(sessions, query)) {
    if (event.rdns === "") continue;
    const group = groups.get({ project_id: session.project, rdns: event.rdns });
    group.sessions.add(session);
    group.visitors.add(visitorOf(event));
  }
  return page(groups, query, ["project_id", "rdns"], ["sessions", "visitors"]);
}

function countEvents(sessions: Session[], query: EventsQuery): OracleAnswer {
  const groups = new Groups();
  for (const [session, { type, event }] of askedEvents(sessions, query)) {
    if (query.type === "custom" && (type !== "track" || event === "")) continue;
    groups.get({ project_id: session.project, type, event }).hits += 1;
  }
  return page(groups, query, ["project_id", "type", "event"], ["hits"]);
}

function countCustomEvents(sessions: Session[], query: EventsQuery): OracleAnswer {
  return countEvents(sessions, { ...query, type: "custom" });
}

const METRICS =
  "pathname|origin|channel|referrer|referrer_url|ref|utm_source|utm_medium|utm_campaign|utm_content|utm_term|builder_codes|location|device|browser|os|rdns|provider_name|chain_id|event|paid_source";

function countVolume(sessions: Session[], query: EventsQuery): OracleAnswer {
  const metric = query.metric_column ?? "";
  if (!METRICS.split("|").includes(metric))
    return { columns: ["project_id", "metric_value", "sum_volume"], rows: [], rowsBeforeLimit: 0 };
  const groups = new Groups();
  for (const [session, event] of allEvents(sessions)) {
    if (event.volume === 0 || !isAskedPayment(query, session, event)) continue;
    for (const value of moneyValues(event, session, metric)) {
      const shown = metric === "referrer" ? orDirect(value) : value;
      groups.get({ project_id: session.project, [metric]: shown }).volume += billionths(event.volume);
    }
  }
  const { columns, rows, rowsBeforeLimit } = page(groups, query, ["project_id", metric], ["volume"]);
  return {
    columns: [...columns.slice(0, 2), "sum_volume"],
    rows: rows.map(({ volume, ...keys }) => ({ ...keys, sum_volume: volume })),
    rowsBeforeLimit,
  };
}

function countWalletDays(sessions: Session[], query: EventsQuery): OracleAnswer {
  const wanted = query.address ?? "";
  const address = /^0x[0-9a-f]{40}$/i.test(wanted) ? wanted.toLowerCase() : wanted;
  const groups = new Groups();
  for (const [session, event] of allEvents(sessions)) {
    if (event.address !== address || (event.revenue === 0 && event.volume === 0)) continue;
    if (!isAskedPayment(query, session, event)) continue;
    const group = groups.get({
      date: dayOf(event),
      event: event.event,
      page_path: resolve(event, session.firstTouch, "pathname"),
      referrer: orDirect(resolve(event, session.firstTouch, "referrer")),
      utm_source: resolve(event, session.firstTouch, "utm_source"),
    });
    group.revenue += billionths(event.revenue);
    group.volume += billionths(event.volume);
  }
  const keys = ["date", "event", "page_path", "referrer", "utm_source"];
  return whole(groups, keys, ["revenue", "volume"], (a, b) => compareKeys(a, b, keys));
}

const GROUPS =
  "channel_type|device|browser|os|location|referrer|ref|utm_source|utm_medium|utm_campaign|utm_content|utm_term|builder_codes";

function countDays(sessions: Session[], query: EventsQuery): OracleAnswer {
  const column = GROUPS.split("|").includes(query.group_by ?? "") ? query.group_by : undefined;
  const excluded = (query.exclude ?? "").split(",").map((type) => type.trim());
  const found = [...askedEvents(sessions, query)].filter(([, { type }]) => !excluded.includes(type));
  const keyOf = (session: Session, event: OracleEvent): string => {
    if (column === undefined) return event.type === "track" && event.event !== "" ? event.event : event.type;
    return orDirect(textOf(session.firstTouch, column === "channel_type" ? "channel" : column));
  };
  const totals = new Map<string, number>();
  for (const [session, event] of found) {
    const key = keyOf(session, event);
    totals.set(key, (totals.get(key) ?? 0) + 1);
  }
  const ranked = [...totals].toSorted(([a, n], [b, m]) => m - n || compareBytes(a, b)).map(([key]) => key);
  const top = new Set(ranked.slice(0, query.keys ?? (column === undefined ? 1000 : 100)));
  const groups = new Groups();
  for (const [session, event] of found) {
    const key = keyOf(session, event);
    groups.get({ date: dayOf(event), event_key: top.has(key) ? key : "Others" }).events += 1;
  }
  const { columns, rows, rowsBeforeLimit } = whole(
    groups,
    ["date", "event_key"],
    ["events"],
    (a, b) => compareKeys(a, b, ["date"]) || b.events - a.events || compareKeys(a, b, ["event_key"]),
  );
  return {
    columns: [...columns.slice(0, 2), "count"],
    rows: rows.map(({ events, ...keys }) => ({ ...keys, count: events })),
    rowsBeforeLimit,
  };
}

function countHours(sessions: Session[], query: EventsQuery): OracleAnswer {
  const groups = new Groups();
  for (const project_id of query.projects.toSorted())
    for (let weekday = 1; weekday <= 7; weekday += 1)
      for (let hour = 0; hour < 24; hour += 1) groups.get({ project_id, weekday, hour });
  for (const [session, event] of askedEvents(sessions, query)) {
    const at = new Date(wallOf(event.timestamp));
    const keys = { project_id: session.project, weekday: at.getUTCDay() || 7, hour: at.getUTCHours() };
    const group = groups.get(keys);
    group.events += 1;
    if (event.type === "page") group.hits += 1;
    group.sessions.add(session);
  }
  return whole(groups, ["project_id", "weekday", "hour"], ["hits", "sessions", "events"], () => 0);
}

// ---- What the reports have in common ----

function* allEvents(sessions: Session[]): Generator<[Session, OracleEvent]> {
  for (const session of sessions) for (const event of session.events) yield [session, event];
}

function* askedEvents(sessions: Session[], query: EventsQuery): Generator<[Session, OracleEvent]> {
  for (const [session, event] of allEvents(sessions))
    if (isAskedSession(query, session) && isAskedEvent(query, session, event)) yield [session, event];
}

type Measure = "hits" | "sessions" | "visitors" | "events" | "revenue" | "volume";

function measureOf(group: Group, measure: Measure): number {
  if (measure === "hits" || measure === "events") return group[measure];
  if (measure === "revenue" || measure === "volume") return Number(group[measure]) / 1e9;
  return group[measure].size;
}

/** Ordered by the last measure, then the one before it, all descending, then by value and project. */
function page(groups: Groups, query: EventsQuery, keys: string[], measures: Measure[]): OracleAnswer {
  const order = (a: Group, b: Group): number => {
    for (const measure of measures.toReversed()) {
      const difference = measureOf(b, measure) - measureOf(a, measure);
      if (difference !== 0) return difference;
    }
    return compareKeys(a, b, [...keys.slice(1), "project_id"]);
  };
  const { columns, rows } = whole(groups, keys, measures, order);
  return { columns, rows: rows.slice(query.offset, query.offset + query.limit), rowsBeforeLimit: rows.length };
}

function whole(
  groups: Groups,
  keys: string[],
  measures: Measure[],
  order: (a: Group, b: Group) => number,
): OracleAnswer {
  const rows = [...groups.all.values()].toSorted(order).map((group) => {
    const row: Row = { ...group.keys };
    for (const measure of measures) row[measure] = measureOf(group, measure);
    return row;
  });
  return { columns: [...keys, ...measures], rows, rowsBeforeLimit: rows.length };
}

function compareKeys(a: Group, b: Group, keys: string[]): number {
  for (const key of keys) {
    const difference = compareBytes(String(a.keys[key]), String(b.keys[key]));
    if (difference !== 0) return difference;
  }
  return 0;
}

function billionths(amount: number): bigint {
  return BigInt(Math.round(amount * 1e9));
}

function orDirect(value: string): string {
  return value === "" ? "Direct" : value;
}

function dayOf({ timestamp }: OracleEvent): string {
  return new Date(wallOf(timestamp)).toISOString().slice(0, 10);
}
