// An independent implementation of the three analytics reports, computed from a list of events with Maps and loops. It
// deliberately shares no code with the product: two implementations that agree on thousands of generated cases
// (generate.ts) are unlikely to be wrong in the same way. It is written to be obviously right, not fast.

import { utcDay, zoneDay } from "./oracle-zone.ts";

export interface OracleEvent {
  project_id: string;
  /** YYYY-MM-DD of the client's clock: part of the dedupe key only, reports use the day of `timestamp`. */
  day: string;
  message_id: string;
  /** Orders events of the same time; the message_id where absent. */
  tie?: string;
  /** Milliseconds, UTC. */
  timestamp: number;
  /** Milliseconds, UTC. */
  received_at: number;
  type: string;
  event: string;
  anonymous_id: string;
  user_id: string;
  address: string;
  /** The client's own session id, or "". */
  session_id: string;
  origin: string;
  pathname: string;
  referrer: string;
  referrer_url: string;
  ref: string;
  utm_source: string;
  utm_medium: string;
  utm_campaign: string;
  utm_term: string;
  utm_content: string;
  device: string;
  browser: string;
  os: string;
  location: string;
  rdns: string;
  provider_name: string;
  chain_id: string;
  builder_codes: string;
  /** The acquisition channel. */
  acquisition: string;
  /** The ad network of the event's click id, `paid_utm`, or "". */
  paid_source: string;
  click_id: string;
  has_touch: 0 | 1;
  volume: number;
  revenue: number;
  points: number;
  properties?: Record<string, unknown>;
  context?: Record<string, string>;
  /** How the event was sent: web, server and so on. */
  channel?: string;
  version?: string;
}

export interface OracleFilter {
  field: string;
  op: string;
  value?: string | number | boolean | (string | number)[];
}

export interface OracleQuery {
  report: "top_sources" | "top_chains" | "revenue_by_metric";
  projects: string[];
  from: string;
  to: string;
  metric_column?: string;
  filters: OracleFilter[];
  /** Which event of a session meets the filters on the page: the counted one, or any. */
  page_scope?: "page" | "session";
  limit: number;
  offset: number;
  /** Projects that exclude bots. */
  excludeBots?: string[];
}

export interface OracleAnswer {
  columns: readonly string[];
  rows: readonly Record<string, unknown>[];
  rowsBeforeLimit: number;
}

export interface Session {
  project: string;
  events: OracleEvent[];
  firstTouch: OracleEvent;
}

interface Group {
  project: string;
  value: string;
  hits: number;
  sessions: Set<Session>;
  visitors: Set<string>;
  /** Billionths, so that the sum is exact. */
  revenue: bigint;
}

const UTM = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"] as const;
const SIGNALS = ["referrer", "ref", ...UTM] as const;
const ACQUIRED = new Set<string>([...SIGNALS, "referrer_url", "channel"]);
const PLACES = new Set<string>(["origin", "pathname"]);
const SURROUNDINGS = ["device", "browser", "os", "location", "rdns", "provider_name", "chain_id"] as const;

const METRICS: Record<OracleQuery["report"], Set<string>> = {
  top_sources: new Set([...SIGNALS, "referrer_url", "origin", "device", "browser", "os", "channel", "paid_source"]),
  top_chains: new Set(["chain_id"]),
  revenue_by_metric: new Set([...ACQUIRED, ...PLACES, ...SURROUNDINGS, "builder_codes", "event", "paid_source"]),
};

const MEASURES = {
  top_sources: ["hits", "sessions", "visitors"],
  top_chains: ["sessions", "visitors"],
  revenue_by_metric: ["sum_revenue"],
} as const;

const SESSION_FIELDS = new Set<string>([
  ...SIGNALS,
  "referrer_url",
  "channel",
  "origin",
  "device",
  "browser",
  "os",
  "location",
]);
const EVENT_FIELDS = new Set("event type page chain_id address builder_codes volume revenue points".split(" "));

const ALIASES = new Map([
  ["eq", "equals"],
  ["neq", "notEquals"],
  ["gt", "greater"],
  ["gte", "greaterOrEqual"],
  ["lt", "less"],
  ["lte", "lessOrEqual"],
  ["nin", "notIn"],
  ["contains", "includes"],
]);

export function answer(events: readonly OracleEvent[], query: OracleQuery): OracleAnswer {
  const measures = MEASURES[query.report];
  const metric = metricOf(query);
  checkFilters(query);
  if (!METRICS[query.report].has(metric)) {
    return { columns: ["project_id", "metric_value", ...measures], rows: [], rowsBeforeLimit: 0 };
  }

  const groups = new Map<string, Group>();
  for (const session of sessionsOf(events, query)) {
    if (query.report === "top_sources") countSource(groups, session, query, metric);
    else if (query.report === "top_chains") countChains(groups, session, query);
    else countRevenue(groups, session, query, metric);
  }

  const sorted = [...groups.values()].sort((a, b) => compareGroups(a, b, query.report));
  const rows = sorted.slice(query.offset, query.offset + query.limit).map((group) => {
    const row: Record<string, string | number> = { project_id: group.project, [metric]: group.value };
    for (const measure of measures) row[measure] = measureOf(group, measure);
    return row;
  });
  return { columns: ["project_id", metric, ...measures], rows, rowsBeforeLimit: groups.size };
}

export function checkFilters({ filters }: Pick<OracleQuery, "filters">): void {
  for (const { field } of filters) {
    if (!SESSION_FIELDS.has(field) && !isEventField(field)) {
      throw new Error(`the definitions know no filter field ${field}`);
    }
  }
}

function metricOf(query: OracleQuery): string {
  if (query.report === "top_chains") return "chain_id";
  if (query.metric_column !== undefined) return query.metric_column;
  if (query.report === "top_sources") return "referrer";
  throw new Error("revenue_by_metric needs a metric_column");
}

// ---- The three reports: what one session adds to the groups ----

function countSource(groups: Map<string, Group>, session: Session, query: OracleQuery, metric: string): void {
  if (!isAskedSession(query, session)) return;
  if (!session.events.some((event) => meetsEventFilters(query, event))) return;

  const value = metric === "paid_source" ? paidSourceOf(session) : textOf(session.firstTouch, metric);
  if (metric === "paid_source" && value === "") return;
  const group = groupFor(groups, session.project, metric, value);
  group.sessions.add(session);
  for (const event of session.events) {
    group.visitors.add(visitorOf(event));
    if (event.type === "page") group.hits += 1;
  }
}

function countChains(groups: Map<string, Group>, session: Session, query: OracleQuery): void {
  if (!isAskedSession(query, session)) return;

  for (const event of session.events) {
    if (event.chain_id === "" || !isAskedEvent(query, session, event)) continue;
    const group = groupFor(groups, session.project, "chain_id", event.chain_id);
    group.sessions.add(session);
    group.visitors.add(visitorOf(event));
  }
}

function countRevenue(groups: Map<string, Group>, session: Session, query: OracleQuery, metric: string): void {
  for (const event of session.events) {
    if (event.revenue === 0 || !isAskedPayment(query, session, event)) continue;
    for (const value of moneyValues(event, session, metric)) {
      groupFor(groups, session.project, metric, value).revenue += BigInt(Math.round(event.revenue * 1e9));
    }
  }
}

/** The values of a column under which an amount counts: each code of the event, otherwise one, or no paid one. */
export function moneyValues(event: OracleEvent, session: Session, metric: string): readonly string[] {
  if (metric === "builder_codes") return codesOf(event);
  if (metric !== "paid_source") return [resolve(event, session.firstTouch, metric)];
  const paid = resolvePaid(event, session);
  return paid === "" ? [] : [paid];
}

/** Each code once; an event without one has the empty text. */
export function codesOf({ builder_codes }: Pick<OracleEvent, "builder_codes">): string[] {
  return [...new Set(builder_codes.split(","))];
}

type Asked = Pick<OracleQuery, "projects" | "from" | "to" | "filters" | "page_scope" | "excludeBots">;

/** Compares the session's first touch. */
export function isAskedSession(query: Asked, session: Session): boolean {
  if (leavesOutBots(query, session) && session.firstTouch.device === "bot") return false;
  return meetsSessionFilters(query, (field) => textOf(session.firstTouch, field));
}

/** The event itself meets the filters on events. With the page scope `session` any of the session meets those on pages. */
export function isAskedEvent(query: Asked, session: Session, event: OracleEvent): boolean {
  if (query.page_scope !== "session") return meetsEventFilters(query, event);
  const [pages, others] = [true, false].map((isPage) => ({
    ...query,
    filters: query.filters.filter(({ field }) => (field === "page") === isPage),
  }));
  if (pages === undefined || others === undefined) throw new Error("both lists exist");
  return meetsEventFilters(others, event) && session.events.some((one) => meetsEventFilters(pages, one));
}

/** An event with revenue or volume: the values that it counts under are compared. */
export function isAskedPayment(query: Asked, session: Session, event: OracleEvent): boolean {
  const resolved = (column: string): string => resolve(event, session.firstTouch, column);
  if (leavesOutBots(query, session) && resolved("device") === "bot") return false;
  return isAskedEvent(query, session, event) && meetsSessionFilters(query, resolved);
}

function leavesOutBots(query: Asked, session: Session): boolean {
  return query.excludeBots?.includes(session.project) ?? false;
}

/** The value an event with revenue is counted under: its own, or that of its session's first touch. */
export function resolve(event: OracleEvent, firstTouch: OracleEvent, column: string): string {
  const own = textOf(event, column);
  const first = textOf(firstTouch, column);
  if (column === "event") return own;
  if (ACQUIRED.has(column)) return hasSignal(event) ? own : first;
  if (own !== "") return own;
  if (PLACES.has(column)) return hasSignal(event) ? "" : first;
  return first;
}

/** The event's own paid touch, or the session's first. */
export function resolvePaid(event: OracleEvent, session: Session): string {
  return event.paid_source || paidSourceOf(session);
}

/** The first paid touch of a session, or "". */
function paidSourceOf({ events }: Session): string {
  const paid = events.filter(({ paid_source }) => paid_source !== "");
  const [first, ...others] = paid;
  return first === undefined ? "" : others.reduce((a, b) => (isEarlier(b, a) ? b : a), first).paid_source;
}

function hasSignal(event: OracleEvent): boolean {
  return event.acquisition !== "Direct" || SIGNALS.some((column) => event[column] !== "");
}

// ---- Sessions and visitors ----

/**
 * Sessions of the asked projects and days. A session lies within one day, of UTC and of the zone, so the window never cuts
 * one in two.
 */
export function sessionsOf(
  events: readonly OracleEvent[],
  query: Pick<OracleQuery, "projects" | "from" | "to">,
): Session[] {
  const asked = events.filter((event) => query.projects.includes(event.project_id));
  const [first, last] = [utcDay(Date.parse(query.from)), utcDay(Date.parse(query.to))];
  const members = new Map<string, OracleEvent[]>();
  for (const event of withoutCopies(asked)) {
    const day = zoneDay(event.timestamp);
    if (day < first || day > last) continue;
    const name = event.session_id === "" ? ["visitor", visitorOf(event)] : ["client", event.session_id];
    const key = JSON.stringify([event.project_id, day, utcDay(event.timestamp), ...name]);
    const list = members.get(key);
    if (list === undefined) members.set(key, [event]);
    else list.push(event);
  }
  return [...members.values()].map((list) => {
    const firstTouch = firstTouchOf(list);
    return { project: firstTouch.project_id, events: list, firstTouch };
  });
}

/** Of several events with one key the copy that was received first is kept. */
export function withoutCopies(events: readonly OracleEvent[]): Iterable<OracleEvent> {
  const kept = new Map<string, OracleEvent>();
  for (const event of events) {
    const key = JSON.stringify([event.project_id, event.day, event.message_id]);
    const rival = kept.get(key);
    if (rival === undefined || event.received_at < rival.received_at) kept.set(key, event);
  }
  return kept.values();
}

function firstTouchOf(events: OracleEvent[]): OracleEvent {
  const touches = events.filter((event) => event.has_touch === 1);
  const candidates = touches.length > 0 ? touches : events;
  return candidates.reduce((first, event) => (isEarlier(event, first) ? event : first));
}

export function isEarlier(a: OracleEvent, b: OracleEvent): boolean {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp;
  return compareBytes(a.tie ?? a.message_id, b.tie ?? b.message_id) < 0;
}

export function visitorOf(event: OracleEvent): string {
  return event.anonymous_id || event.user_id || event.address;
}

/** A person is a visitor of a project. */
export function personOf(event: OracleEvent): string {
  return JSON.stringify([event.project_id, visitorOf(event)]);
}

// ---- Groups and their order ----

function groupFor(groups: Map<string, Group>, project: string, metric: string, stored: string): Group {
  const value = metric === "referrer" && stored === "" ? "Direct" : stored;
  const key = JSON.stringify([project, value]);
  const known = groups.get(key);
  if (known !== undefined) return known;
  const group = { project, value, hits: 0, sessions: new Set<Session>(), visitors: new Set<string>(), revenue: 0n };
  groups.set(key, group);
  return group;
}

function measureOf(group: Group, measure: "hits" | "sessions" | "visitors" | "sum_revenue"): number {
  if (measure === "hits") return group.hits;
  if (measure === "sum_revenue") return Number(group.revenue) / 1e9;
  return group[measure].size;
}

/** The last measure column decides first, the first one last; all descending. */
function compareGroups(a: Group, b: Group, report: OracleQuery["report"]): number {
  for (const measure of MEASURES[report].toReversed()) {
    const difference = measureOf(b, measure) - measureOf(a, measure);
    if (difference !== 0) return difference;
  }
  return compareBytes(a.value, b.value) || compareBytes(a.project, b.project);
}

/** By UTF-8 bytes. JavaScript's own order is by UTF-16 units and puts emoji before U+FF01. */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a, "utf8"), Buffer.from(b, "utf8"));
}

// ---- Filters ----

export function meetsSessionFilters(query: Pick<OracleQuery, "filters">, read: (field: string) => string): boolean {
  return query.filters
    .filter((filter) => SESSION_FIELDS.has(filter.field))
    .every((filter) => meetsText(filter, read(filter.field)));
}

const PROPERTY = /^properties\.(.+)$/su;

/** In the place of the field `events`: oracle-people.ts. */
const PERSON = "person";

function isEventField(field: string): boolean {
  return EVENT_FIELDS.has(field) || field === PERSON || PROPERTY.test(field);
}

/** Comparisons of size are about events that carry the amount. */
export function meetsEventFilters(query: Pick<OracleQuery, "filters">, event: OracleEvent): boolean {
  const carries = ({ field, op }: OracleFilter) =>
    !isAmount(field) || event[field] !== 0 || !SIZES.includes(ALIASES.get(op) ?? op);
  return query.filters.every(carries) && meetsSums(query, event);
}

type Amount = "volume" | "revenue" | "points";
const isAmount = (field: string): field is Amount => ["volume", "revenue", "points"].includes(field);

/** The same, for amounts that are sums of many events: none is 0. */
export function meetsSums(query: Pick<OracleQuery, "filters">, event: OracleEvent): boolean {
  return query.filters
    .filter((filter) => isEventField(filter.field))
    .every((filter) => {
      const { field } = filter;
      const key = PROPERTY.exec(field)?.[1];
      if (key !== undefined) return meetsProperty(filter, event, key);
      if (field === "builder_codes") return meetsCodes(filter, event);
      if (field === PERSON) return Array.isArray(filter.value) && filter.value.includes(personOf(event));
      return isAmount(field) ? meetsNumber(filter, event[field]) : meetsText(filter, textOf(event, field));
    });
}

const SIZES = ["greater", "greaterOrEqual", "less", "lessOrEqual"];

/** Sizes are compared as numbers, which a value may not be. */
function meetsProperty(filter: OracleFilter, event: OracleEvent, key: string): boolean {
  if (!SIZES.includes(ALIASES.get(filter.op) ?? filter.op)) return meetsText(filter, propertyText(event, key));
  const number = propertyNumber(event, key);
  return number !== undefined && meetsNumber(filter, number);
}

export function propertyText({ properties = {} }: OracleEvent, key: string): string {
  const value = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value, (_, inner: unknown) => spell(inner));
}

const RAW = JSON as unknown as {
  isRawJSON(value: unknown): value is { rawJSON: string };
  rawJSON(text: string): object;
};

/** A number that a client wrote: a double as JavaScript writes it, a number beyond doubles or with all digits as sent. */
function spell(value: unknown): unknown {
  if (!RAW.isRawJSON(value)) return value;
  const number = Number(value.rawJSON);
  return /^-?\d+$/.test(value.rawJSON) || !Number.isFinite(number) ? value : number;
}

export function propertyNumber(event: OracleEvent, key: string): number | undefined {
  const text = propertyText(event, key);
  // With a longer exponent it may be no double.
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,2})?$/i.test(text) ? Number(text) : undefined;
}

/** Any code meets the condition; one that says what it is not holds for all codes. Empty is an event without any. */
function meetsCodes(filter: OracleFilter, event: OracleEvent): boolean {
  const op = ALIASES.get(filter.op) ?? filter.op;
  if (op === "isEmpty" || op === "notEmpty") return meetsText(filter, event.builder_codes);
  const meets = (code: string): boolean => meetsText(filter, code);
  return op === "notEquals" || op === "notIn" ? codesOf(event).every(meets) : codesOf(event).some(meets);
}

function meetsText(filter: OracleFilter, stored: string): boolean {
  const holds = (test: (text: string, part: string) => boolean): boolean =>
    test(stored.toLowerCase(), String(scalarOf(filter)).toLowerCase());
  switch (ALIASES.get(filter.op) ?? filter.op) {
    case "equals":
      return stored === wantedText(filter.field, scalarOf(filter));
    case "notEquals":
      return stored !== wantedText(filter.field, scalarOf(filter));
    case "in":
      return listOf(filter).some((value) => stored === wantedText(filter.field, value));
    case "notIn":
      return listOf(filter).every((value) => stored !== wantedText(filter.field, value));
    case "includes":
      return holds((text, part) => text.includes(part));
    case "startsWith":
      return holds((text, part) => text.startsWith(part));
    case "endsWith":
      return holds((text, part) => text.endsWith(part));
    case "isEmpty":
      return stored === "";
    case "notEmpty":
      return stored !== "";
    default:
      throw new Error(`the definitions know no operator ${filter.op} on the text field ${filter.field}`);
  }
}

function wantedText(field: string, value: string | number | boolean): string {
  const text = String(value);
  if (field === "referrer" && text === "Direct") return "";
  if (field === "address" && /^0x[0-9a-f]{40}$/i.test(text)) return text.toLowerCase();
  return text;
}

function meetsNumber(filter: OracleFilter, stored: number): boolean {
  switch (ALIASES.get(filter.op) ?? filter.op) {
    case "equals":
      return stored === wantedNumber(scalarOf(filter));
    case "notEquals":
      return stored !== wantedNumber(scalarOf(filter));
    case "greater":
      return stored > wantedNumber(scalarOf(filter));
    case "greaterOrEqual":
      return stored >= wantedNumber(scalarOf(filter));
    case "less":
      return stored < wantedNumber(scalarOf(filter));
    case "lessOrEqual":
      return stored <= wantedNumber(scalarOf(filter));
    case "in":
      return listOf(filter).some((value) => stored === wantedNumber(value));
    case "notIn":
      return listOf(filter).every((value) => stored !== wantedNumber(value));
    default:
      throw new Error(`the definitions know no operator ${filter.op} on the numeric field ${filter.field}`);
  }
}

function wantedNumber(value: string | number | boolean): number {
  const number = value === "" || typeof value === "boolean" ? Number.NaN : Number(value);
  if (!Number.isFinite(number)) throw new Error(`${value} is not a number`);
  return number;
}

function scalarOf({ field, op, value }: OracleFilter): string | number | boolean {
  if (value === undefined || Array.isArray(value)) throw new Error(`${field} ${op} needs one value`);
  return value;
}

function listOf(filter: OracleFilter): (string | number)[] {
  return Array.isArray(filter.value) ? filter.value : String(scalarOf(filter)).split("|");
}

export function textOf(event: OracleEvent, name: string): string {
  if (name === "channel") return event.acquisition;
  if (name === "page") return event.pathname;
  const value = event[name as keyof OracleEvent];
  if (typeof value !== "string") throw new Error(`${name} is no text column`);
  return value;
}
