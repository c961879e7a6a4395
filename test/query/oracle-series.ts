// The independent implementation of kpis, revenue_overview and top_pages. See oracle.ts, whose sessions, filters and
// values it shares.
import {
  checkFilters,
  compareBytes,
  isAskedPayment,
  isAskedSession,
  isEarlier,
  meetsEventFilters,
  moneyValues,
  type OracleAnswer,
  type OracleEvent,
  type OracleQuery,
  type Session,
  sessionsOf,
  textOf,
  visitorOf,
} from "./oracle.ts";
import { wallOf } from "./oracle-zone.ts";

export interface SeriesQuery extends Omit<OracleQuery, "report"> {
  report: "kpis" | "revenue_overview" | "top_pages";
  mode?: "all" | "entry" | "exit";
  interval?: "hour" | "day" | "week" | "month" | "all";
  group_by?: string;
  /** The `limit` of kpis and revenue_overview. */
  groups?: number;
  rank_by?: "revenue" | "volume";
  include_previous_period?: boolean;
  compare_from?: string;
  compare_to?: string;
}

type Row = Record<string, string | number>;
const DAY_MS = 86_400_000;

export function answerSeries(events: readonly OracleEvent[], query: SeriesQuery): OracleAnswer {
  checkFilters(query);
  if (query.report === "top_pages") return answerPages(sessionsOf(events, query), query);
  return query.report === "kpis" ? answerKpis(events, query) : answerOverview(events, query);
}

// ---- Sessions ----

const ENGAGED = ["connect", "transaction", "track", "decoded_log"];

function pagesOf({ events }: Session): OracleEvent[] {
  return events.filter(({ type }) => type === "page").toSorted((a, b) => (isEarlier(a, b) ? -1 : 1));
}

/** The sum of gaps between consecutive events, without those over half an hour. */
function activeMsOf({ events }: Session): number {
  const times = events.map(({ timestamp }) => timestamp).toSorted((a, b) => a - b);
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
  return gaps.filter((gap) => gap <= 1_800_000).reduce((sum, gap) => sum + gap, 0);
}

function isBounce(session: Session): boolean {
  if (session.events.some(({ type }) => ENGAGED.includes(type))) return false;
  return pagesOf(session).length <= 1 && activeMsOf(session) < 10_000;
}

function isAsked(query: SeriesQuery, session: Session): boolean {
  return isAskedSession(query, session) && session.events.some((event) => meetsEventFilters(query, event));
}

/** Whether a path meets the filters on the page, if the scope is that page. */
function isShown(query: SeriesQuery, event: OracleEvent): boolean {
  if (query.page_scope === "session") return true;
  return meetsEventFilters({ filters: query.filters.filter(({ field }) => field === "page") }, event);
}

function hasPageFilter({ filters }: SeriesQuery): boolean {
  return filters.some(({ field }) => field === "page");
}

function isTransaction({ type, properties = {} }: OracleEvent): boolean {
  const others: unknown[] = ["started", "confirmed", "reverted", "rejected"];
  return type === "transaction" && !others.includes(properties.status);
}

// ---- Time ----

interface Window {
  from: string;
  to: string;
}

/** The labels of all buckets of a window, in order, and the label of an instant in it. */
function labelsOf({ from, to }: Window, interval: SeriesQuery["interval"]) {
  const first = Math.max(Date.parse(from), 0);
  const labelOf = (instant: number): string => {
    const date = new Date(instant);
    if (interval === "hour") return `${date.toISOString().slice(0, 10)} ${date.toISOString().slice(11, 13)}:00:00`;
    if (interval === "all") return dayOf(first);
    if (interval === "week") date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
    if (interval === "month") date.setUTCDate(1);
    return dayOf(Math.max(date.getTime(), first));
  };
  const labels = new Set<string>();
  const step = interval === "hour" ? DAY_MS / 24 : DAY_MS;
  for (let at = first; at < Date.parse(to) + DAY_MS; at += step) labels.add(labelOf(at));
  return { labels: [...labels], labelOf };
}

function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

function comparedWindow(query: SeriesQuery): Window | undefined {
  if (query.compare_from !== undefined) return { from: query.compare_from, to: query.compare_to ?? "" };
  if (query.include_previous_period !== true) return undefined;
  const from = Math.max(Date.parse(query.from), 0);
  const length = Date.parse(query.to) - from + DAY_MS;
  return { from: dayOf(from - length), to: dayOf(from - DAY_MS) };
}

function isCompared(query: SeriesQuery): boolean {
  return comparedWindow(query) !== undefined;
}

// ---- Kpis ----

class Figures {
  readonly sessions = new Set<Session>();
  readonly visitors = new Set<string>();
  readonly wallets = new Set<string>();
  entries = 0;
  bounces = 0;
  activeMs = 0;
  pageviews = 0;
  transactions = 0;
  revenue = 0n;
  volume = 0n;

  addVisit(session: Session, events: readonly OracleEvent[]): void {
    this.sessions.add(session);
    for (const event of events) {
      this.visitors.add(visitorOf(event));
      if (event.address !== "") this.wallets.add(event.address);
    }
  }

  addEntry(session: Session): void {
    this.entries += 1;
    this.bounces += isBounce(session) ? 1 : 0;
    this.activeMs += activeMsOf(session);
  }

  addEvent(event: OracleEvent): void {
    if (event.type === "page") this.pageviews += 1;
    if (isTransaction(event)) this.transactions += 1;
    this.revenue += billionths(event.revenue);
    this.volume += billionths(event.volume);
  }

  shown(): Row {
    return {
      sessions: this.sessions.size,
      pageviews: this.pageviews,
      bounce_rate: this.entries === 0 ? 0 : this.bounces / this.entries,
      avg_session_sec: this.entries === 0 ? 0 : this.activeMs / this.entries / 1000,
      visitors: this.visitors.size,
      wallets: this.wallets.size,
      transactions: this.transactions,
      revenue: Number(this.revenue) / 1e9,
      volume: Number(this.volume) / 1e9,
    };
  }
}

/** By project, group and label; the label "" is the whole window. */
class Table<T> {
  readonly rows = new Map<string, T>();
  readonly make: () => T;

  constructor(make: () => T) {
    this.make = make;
  }

  get(project: string, value: string, label: string): T {
    const key = JSON.stringify([project, value, label]);
    const known = this.rows.get(key) ?? this.make();
    this.rows.set(key, known);
    return known;
  }

  /** The groups of a project. */
  values(project: string): string[] {
    const keys = [...this.rows.keys()].map((key) => JSON.parse(key) as [string, string, string]);
    return [...new Set(keys.filter(([of]) => of === project).map(([, value]) => value))];
  }
}

const KPI_GROUPS = "referrer|location|device|browser|os|utm_source|utm_medium|utm_campaign";

function tableOfKpis(events: readonly OracleEvent[], query: SeriesQuery, window: Window): Table<Figures> {
  const group = KPI_GROUPS.split("|").includes(query.group_by ?? "") ? query.group_by : undefined;
  const { labelOf } = labelsOf(window, query.interval);
  const table = new Table(() => new Figures());
  for (const session of sessionsOf(events, { ...query, ...window })) {
    if (!isAsked(query, session)) continue;
    const text = group === undefined ? "" : textOf(session.firstTouch, group);
    const value = group === "referrer" ? orDirect(text) : text;
    const at = (instant: number): Figures => table.get(session.project, value, labelOf(wallOf(instant)));
    table.get(session.project, value, "").addVisit(session, session.events);
    const began = Math.min(...session.events.map(({ timestamp }) => timestamp));
    if (query.interval === "hour") for (const event of session.events) at(event.timestamp).addVisit(session, [event]);
    else at(began).addVisit(session, session.events);
    for (const event of session.events) if (isShown(query, event)) at(event.timestamp).addEvent(event);
    const [entry] = pagesOf(session);
    const isAnyEntry = !hasPageFilter(query) || query.page_scope === "session";
    if (isAnyEntry || (entry !== undefined && isShown(query, entry))) at(began).addEntry(session);
  }
  return table;
}

function answerKpis(events: readonly OracleEvent[], query: SeriesQuery): OracleAnswer {
  const table = tableOfKpis(events, query, query);
  const compared = comparedWindow(query);
  const before = compared === undefined ? undefined : tableOfKpis(events, query, compared);
  const rank = (project: string) => (a: string, b: string) => {
    const [one, other] = [table.get(project, a, ""), table.get(project, b, "")];
    return other.sessions.size - one.sessions.size || other.visitors.size - one.visitors.size || compareBytes(a, b);
  };
  const isGrouped = KPI_GROUPS.split("|").includes(query.group_by ?? "");
  return seriesOf(query, {
    isGrouped,
    groups: (project) => (isGrouped ? table.values(project).toSorted(rank(project)) : [""]),
    now: (project, value, label) => table.get(project, value, label).shown(),
    before: (project, value, label) => {
      const found = before?.get(project, value, label ?? " ").shown() ?? {};
      return Object.fromEntries(
        Object.entries(found).map(([name, n]) => [
          name === "visitors" ? "bucket_visitors_previous" : `${name}_previous`,
          n,
        ]),
      ) as Row;
    },
    ofWindow: (project, value) => ({
      visitors_current: table.get(project, value, "").visitors.size,
      visitors_previous: before?.get(project, value, "").visitors.size ?? 0,
    }),
  });
}

interface SeriesParts {
  isGrouped: boolean;
  groups(project: string): string[];
  now(project: string, value: string, label: string): Row;
  /** `label` is undefined for a bucket that the days to compare with do not have. */
  before(project: string, value: string, label: string | undefined): Row;
  ofWindow(project: string, value: string): Row;
}

function seriesOf(query: SeriesQuery, parts: SeriesParts): OracleAnswer {
  const { labels } = labelsOf(query, query.interval);
  const compared = comparedWindow(query);
  const comparedLabels =
    compared === undefined || compared.to < "1970-01-01" ? [] : labelsOf(compared, query.interval).labels;
  const shown = query.projects
    .toSorted()
    .flatMap((project) => parts.groups(project).map((value, place) => ({ project, value, place })))
    .filter(({ place }) => place < (query.groups ?? 10));
  const rows: Row[] = [];
  for (const [nth, label] of labels.entries())
    for (const { project, value } of shown)
      rows.push({
        date: label,
        project_id: project,
        ...(parts.isGrouped ? { [query.group_by ?? ""]: value } : {}),
        ...parts.now(project, value, label),
        ...(isCompared(query)
          ? { ...parts.before(project, value, comparedLabels[nth]), ...parts.ofWindow(project, value) }
          : {}),
      });
  const example = {
    date: "",
    project_id: "",
    ...(parts.isGrouped ? { [query.group_by ?? ""]: "" } : {}),
    ...parts.now("", "", ""),
    ...(isCompared(query) ? { ...parts.before("", "", undefined), ...parts.ofWindow("", "") } : {}),
  };
  return { columns: Object.keys(example), rows, rowsBeforeLimit: rows.length };
}

// ---- Revenue overview ----

interface Money {
  revenue: bigint;
  volume: bigint;
}

const REVENUE_GROUPS = `${KPI_GROUPS}|utm_content|utm_term|ref|builder_codes|channel_type|paid_source`;

function tableOfMoney(events: readonly OracleEvent[], query: SeriesQuery, window: Window): Table<Money> {
  const isGrouped = REVENUE_GROUPS.split("|").includes(query.group_by ?? "");
  const { labelOf } = labelsOf(window, query.interval);
  const table = new Table<Money>(() => ({ revenue: 0n, volume: 0n }));
  for (const session of sessionsOf(events, { ...query, ...window })) {
    for (const event of session.events) {
      if ((event.revenue === 0 && event.volume === 0) || !isAskedPayment(query, session, event)) continue;
      const values = isGrouped ? moneyGroups(query.group_by ?? "", session, event) : [""];
      for (const value of values)
        for (const label of [labelOf(wallOf(event.timestamp)), ""]) {
          const money = table.get(session.project, value, label);
          money.revenue += billionths(event.revenue);
          money.volume += billionths(event.volume);
        }
    }
  }
  return table;
}

function moneyGroups(group: string, session: Session, event: OracleEvent): readonly string[] {
  const values = moneyValues(event, session, group === "channel_type" ? "channel" : group);
  if (group === "paid_source") return values.length === 0 ? ["None"] : values;
  return group === "referrer" ? values.map(orDirect) : values;
}

function answerOverview(events: readonly OracleEvent[], query: SeriesQuery): OracleAnswer {
  const table = tableOfMoney(events, query, query);
  const compared = comparedWindow(query);
  const before = compared === undefined ? undefined : tableOfMoney(events, query, compared);
  const shown = ({ revenue, volume }: Money) => ({ revenue: Number(revenue) / 1e9, volume: Number(volume) / 1e9 });
  const isGrouped = REVENUE_GROUPS.split("|").includes(query.group_by ?? "");
  const [first, second] =
    query.rank_by === "volume" ? (["volume", "revenue"] as const) : (["revenue", "volume"] as const);
  const rank = (project: string) => (a: string, b: string) => {
    const [one, other] = [table.get(project, a, ""), table.get(project, b, "")];
    return Number(other[first] - one[first]) || Number(other[second] - one[second]) || compareBytes(a, b);
  };
  return seriesOf(query, {
    isGrouped,
    groups: (project) => (isGrouped ? table.values(project).toSorted(rank(project)) : [""]),
    now: (project, value, label) => shown(table.get(project, value, label)),
    before: (project, value, label) => {
      const { revenue, volume } = shown(before?.get(project, value, label ?? " ") ?? { revenue: 0n, volume: 0n });
      return { revenue_previous: revenue, volume_previous: volume };
    },
    ofWindow: () => ({}),
  });
}

// ---- Pages ----

interface PageFigures {
  project_id: string;
  origin: string;
  pathname: string;
  hits: number;
  bounces: number;
  sessions: Set<Session>;
  visitors: Set<string>;
  viewers: Set<Session>;
}

function answerPages(sessions: Session[], query: SeriesQuery): OracleAnswer {
  const mode = query.mode ?? "all";
  const found = new Map<string, PageFigures>();
  const pageOf = ({ project_id, origin, pathname }: OracleEvent): PageFigures => {
    const key = JSON.stringify([project_id, origin, pathname]);
    const none = { hits: 0, bounces: 0, sessions: new Set<Session>(), visitors: new Set<string>() };
    const known = found.get(key) ?? { project_id, origin, pathname, ...none, viewers: new Set<Session>() };
    found.set(key, known);
    return known;
  };
  for (const session of sessions.filter((one) => isAsked(query, one))) {
    const views = pagesOf(session);
    for (const view of views.filter((one) => isShown(query, one))) {
      const page = pageOf(view);
      page.viewers.add(session);
      if (mode !== "all") continue;
      page.hits += 1;
      page.sessions.add(session);
      page.visitors.add(visitorOf(view));
    }
    const end = mode === "entry" ? views.at(0) : views.at(-1);
    if (mode === "all" || end === undefined || !isShown(query, end)) continue;
    const page = pageOf(end);
    page.hits += views.length;
    page.bounces += isBounce(session) ? 1 : 0;
    page.sessions.add(session);
  }
  const last = { all: "visitors", entry: "bounce_rate", exit: "exit_rate" }[mode];
  const rows = [...found.values()]
    .filter((page) => page.sessions.size > 0)
    .toSorted(
      (a, b) =>
        (mode === "all" ? b.visitors.size - a.visitors.size : 0) ||
        b.sessions.size - a.sessions.size ||
        b.hits - a.hits ||
        compareBytes(a.origin, b.origin) ||
        compareBytes(a.pathname, b.pathname) ||
        compareBytes(a.project_id, b.project_id),
    )
    .map(({ project_id, origin, pathname, hits, ...page }) => {
      const rates = { all: page.visitors.size, entry: page.bounces / page.sessions.size };
      const rate = mode === "exit" ? page.sessions.size / page.viewers.size : rates[mode];
      return { project_id, origin, pathname, hits, sessions: page.sessions.size, [last]: rate };
    });
  return {
    columns: ["project_id", "origin", "pathname", "hits", "sessions", last],
    rows: rows.slice(query.offset, query.offset + query.limit),
    rowsBeforeLimit: rows.length,
  };
}

function billionths(amount: number): bigint {
  return BigInt(Math.round(amount * 1e9));
}

function orDirect(value: string): string {
  return value === "" ? "Direct" : value;
}
