// The independent implementation of breakdown. See oracle.ts, whose sessions, filters and values it shares.
import {
  checkFilters,
  codesOf,
  compareBytes,
  isAskedEvent,
  isAskedSession,
  isEarlier,
  meetsEventFilters,
  type OracleAnswer,
  type OracleEvent,
  type OracleQuery,
  propertyText,
  type Session,
  sessionsOf,
  textOf,
  visitorOf,
} from "./oracle.ts";

export interface BreakdownQuery extends Omit<OracleQuery, "report"> {
  metric_column: string;
  measures?: string;
  order_by?: string;
  order?: "asc" | "desc";
  include_previous_period?: boolean;
  compare_from?: string;
  compare_to?: string;
}

const COUNTS = ["hits", "sessions", "visitors", "wallets", "transacting_wallets"] as const;
const MEASURES = [...COUNTS, "conversion", "transactions", "volume", "revenue", "revenue_per_wallet"] as const;
type Measures = Record<(typeof MEASURES)[number], number | null>;

/** What is counted under one value in one period. */
class Group {
  hits = 0;
  transactions = 0;
  volume = 0n;
  revenue = 0n;
  readonly sessions = new Set<Session>();
  readonly visitors = new Set<string>();
  readonly wallets = new Set<string>();
  readonly transacting = new Set<string>();

  add(session: Session, event: OracleEvent): void {
    this.sessions.add(session);
    this.visitors.add(visitorOf(event));
  }

  addAmounts(event: OracleEvent): void {
    if (event.address !== "") this.wallets.add(event.address);
    if (isTransaction(event)) {
      this.transactions += 1;
      if (event.address !== "") this.transacting.add(event.address);
    }
    this.volume += billionths(event.volume);
    this.revenue += billionths(event.revenue);
  }

  measures(): Measures {
    const revenue = Number(this.revenue) / 1e9;
    return {
      hits: this.hits,
      sessions: this.sessions.size,
      visitors: this.visitors.size,
      wallets: this.wallets.size,
      transacting_wallets: this.transacting.size,
      conversion: this.visitors.size === 0 ? null : this.transacting.size / this.visitors.size,
      transactions: this.transactions,
      volume: Number(this.volume) / 1e9,
      revenue,
      revenue_per_wallet: this.wallets.size === 0 ? null : revenue / this.wallets.size,
    };
  }
}

const billionths = (amount: number) => BigInt(Math.round(amount * 1e9));

function isTransaction({ type, properties = {} }: OracleEvent): boolean {
  const others: unknown[] = ["started", "confirmed", "reverted", "rejected"];
  return type === "transaction" && !others.includes(properties.status);
}

/** By project and the texts of the value, in JSON. */
class Groups {
  readonly all = new Map<string, Group>();

  get(project: string, ...value: string[]): Group {
    const key = JSON.stringify([project, ...value]);
    const group = this.all.get(key) ?? new Group();
    this.all.set(key, group);
    return group;
  }
}

export function answerBreakdown(events: readonly OracleEvent[], query: BreakdownQuery): OracleAnswer {
  checkFilters(query);
  const compared = comparedDays(query);
  const now = countPeriod(events, query, query);
  const before = compared === undefined ? new Groups() : countPeriod(events, query, compared);
  const names = ["project_id", ...valueColumns(query.metric_column)];
  const shown = MEASURES.filter((name) => query.measures === undefined || query.measures.split(",").includes(name));
  const hasPrevious = query.include_previous_period === true || query.compare_from !== undefined;
  const rows = [...new Set([...now.all.keys(), ...before.all.keys()])].map((key) => {
    const values = JSON.parse(key) as string[];
    return {
      values,
      now: (now.all.get(key) ?? new Group()).measures(),
      before: (before.all.get(key) ?? new Group()).measures(),
    };
  });
  const sorted = rows.toSorted((a, b) => compareRows(a, b, query));
  const toRow = ({ values, now: own, before: other }: Row) => ({
    ...Object.fromEntries(names.map((name, at) => [name, values[at] ?? ""])),
    ...Object.fromEntries(shown.map((name) => [name, own[name]])),
    ...(hasPrevious ? Object.fromEntries(shown.map((name) => [`${name}_previous`, other[name]])) : {}),
  });
  return {
    columns: [...names, ...shown, ...(hasPrevious ? shown.map((name) => `${name}_previous`) : [])],
    rows: sorted.slice(query.offset, query.offset + query.limit).map(toRow),
    rowsBeforeLimit: sorted.length,
  };
}

const PROPERTY = "properties.";

function valueColumns(metric: string): string[] {
  if (["page", "entry_page", "exit_page"].includes(metric)) return ["origin", "pathname"];
  if (metric.startsWith(PROPERTY)) return ["value"];
  return ["event", "custom_event"].includes(metric) ? ["type", "event"] : [metric];
}

const DAY_MS = 86_400_000;
/** The first and the last day that the engines can store. */
const [FIRST_MS, LAST_MS] = [Date.parse("1970-01-01"), Date.parse("2149-06-05")];

function comparedDays(query: BreakdownQuery): { from: string; to: string } | undefined {
  const { compare_from: from, compare_to: to } = query;
  if (from !== undefined && to !== undefined) return { from, to };
  if (query.include_previous_period !== true) return undefined;
  const first = Math.max(Date.parse(query.from), FIRST_MS);
  const days = (Math.min(Date.parse(query.to), LAST_MS) - first) / DAY_MS + 1;
  const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
  return { from: dayOf(first - days * DAY_MS), to: dayOf(first - DAY_MS) };
}

interface Row {
  values: string[];
  now: Measures;
  before: Measures;
}

function compareRows(a: Row, b: Row, { order_by = "visitors", order = "desc" }: BreakdownQuery): number {
  const name = order_by.replace(/_change$/, "") as keyof Measures;
  const sortedBy = ({ now, before }: Row): number | null => {
    const [own, other] = [now[name], before[name]];
    if (name === order_by || own === null) return own;
    return other === null ? null : own - other;
  };
  const [left, right] = [sortedBy(a), sortedBy(b)];
  if (left === null || right === null) {
    if (left !== right) return left === null ? 1 : -1;
  } else if (left !== right) return order === "asc" ? left - right : right - left;
  for (const measure of ["visitors", "sessions", "hits"] as const) {
    const difference = Number(b.now[measure]) - Number(a.now[measure]);
    if (difference !== 0) return difference;
  }
  const [project = "", ...values] = a.values;
  const [otherProject = "", ...others] = b.values;
  for (const [at, value] of values.entries()) {
    const difference = compareBytes(value, others[at] ?? "");
    if (difference !== 0) return difference;
  }
  return compareBytes(project, otherProject);
}

function countPeriod(
  events: readonly OracleEvent[],
  query: BreakdownQuery,
  { from, to }: { from: string; to: string },
): Groups {
  const groups = new Groups();
  for (const session of sessionsOf(events, { projects: query.projects, from, to })) {
    if (!isAskedSession(query, session)) continue;
    if (query.metric_column === "rdns") countApps(groups, session, query);
    else if (isOfEvents(query.metric_column)) countEvents(groups, session, query);
    else if (!session.events.some((event) => meetsEventFilters(query, event))) continue;
    else if (query.metric_column === "page") countPages(groups, session, query);
    else countSession(groups, session, query);
  }
  return groups;
}

function isOfEvents(metric: string): boolean {
  return ["chain_id", "builder_codes", "event", "custom_event"].includes(metric) || metric.startsWith(PROPERTY);
}

/** Everything in the session counts under one value. */
function countSession(groups: Groups, session: Session, query: BreakdownQuery): void {
  const value = sessionValue(session, query);
  if (value === undefined) return;
  const group = groups.get(session.project, ...value);
  for (const event of session.events) {
    group.add(session, event);
    group.addAmounts(event);
    if (event.type === "page") group.hits += 1;
  }
}

function sessionValue(session: Session, query: BreakdownQuery): string[] | undefined {
  const { metric_column: metric } = query;
  const inOrder = session.events.toSorted((a, b) => (isEarlier(a, b) ? -1 : 1));
  if (metric === "entry_page" || metric === "exit_page") {
    const page = inOrder.filter(({ type }) => type === "page").at(metric === "entry_page" ? 0 : -1);
    return page === undefined || !isShown(query, page) ? undefined : [page.origin, page.pathname];
  }
  if (metric === "paid_source") {
    const paid = inOrder.find(({ paid_source }) => paid_source !== "");
    return paid === undefined ? undefined : [paid.paid_source];
  }
  const text = textOf(session.firstTouch, metric);
  return [metric === "referrer" && text === "" ? "Direct" : text];
}

/** Whether a page meets the filters on the page, if the scope is that page. */
function isShown(query: BreakdownQuery, event: OracleEvent): boolean {
  if (query.page_scope === "session") return true;
  return meetsEventFilters({ filters: query.filters.filter(({ field }) => field === "page") }, event);
}

/** Everything that a visitor did in the session counts under each wallet app of the visitor's events. */
function countApps(groups: Groups, session: Session, query: BreakdownQuery): void {
  for (const [, own] of Map.groupBy(session.events, visitorOf)) {
    const asked = own.filter((event) => event.rdns !== "" && isAskedEvent(query, session, event));
    for (const rdns of new Set(asked.map((event) => event.rdns))) {
      const group = groups.get(session.project, rdns);
      for (const event of own) {
        group.add(session, event);
        group.addAmounts(event);
        if (event.type === "page") group.hits += 1;
      }
    }
  }
}

/** Views of the page, and everything else that happened on it. */
function countPages(groups: Groups, session: Session, query: BreakdownQuery): void {
  for (const event of session.events) {
    const isView = event.type === "page";
    if (!isShown(query, event) || (!isView && event.origin === "" && event.pathname === "")) continue;
    const group = groups.get(session.project, event.origin, event.pathname);
    group.addAmounts(event);
    if (!isView) continue;
    group.add(session, event);
    group.hits += 1;
  }
}

function countEvents(groups: Groups, session: Session, query: BreakdownQuery): void {
  const { metric_column: metric } = query;
  for (const event of session.events) {
    if (!isAskedEvent(query, session, event)) continue;
    for (const value of eventValues(event, metric)) {
      const group = groups.get(session.project, ...value);
      group.add(session, event);
      group.addAmounts(event);
      const countsEvents = metric === "event" || metric === "custom_event" || metric.startsWith(PROPERTY);
      if (countsEvents || event.type === "page") group.hits += 1;
    }
  }
}

function eventValues(event: OracleEvent, metric: string): string[][] {
  if (metric.startsWith(PROPERTY)) {
    const text = propertyText(event, metric.slice(PROPERTY.length));
    return text === "" ? [] : [[text]];
  }
  if (metric === "event") return [[event.type, event.event]];
  if (metric === "custom_event") return event.type === "track" && event.event !== "" ? [["track", event.event]] : [];
  if (metric === "chain_id") return event.chain_id === "" ? [] : [[event.chain_id]];
  return event.builder_codes === "" ? [] : codesOf(event).map((code) => [code]);
}
