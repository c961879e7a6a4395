// Seeded events and queries for comparing the product's reports with oracle.ts. Pools are small so that visitors,
// sessions, instants and values collide. Letters are those whose lower case every engine agrees on: ASCII, Latin-1,
// Cyrillic and Greek without sigma, micro and sharp s. Queries avoid cases that the definitions leave undecided: every
// event has a visitor, no client session is named like a visitor, copies differ in `received_at`.
import { type OracleEvent, type OracleQuery, propertyText, textOf } from "./oracle.ts";

export interface Random {
  /** A number from 0 up to, without, 1. */
  next(): number;
  /** An integer from 0 up to, without, `below`. */
  int(below: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
}

type Filter = OracleQuery["filters"][number];
type Scalar = string | number | boolean;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Longer values stay out of filters: 4 filters of 4 such values still fit into a request line. */
const LONGEST_FILTER_VALUE = 500;

const CHANNELS =
  "Paid Search|Paid Video|Paid Social|Email|Referrals|Display|AI|Organic Search|Organic Social|Organic Video|Referrers";
const ODD = [
  `it's "quoted" \`text\``,
  "back\\slash\\n\\",
  "a|b",
  "|",
  "100%",
  "%",
  "under_score",
  "underXscore",
  "_",
  "😀 wallet",
  "！wide",
  "ÉCOLE Ñ",
  "école ñ",
  "ЖУК",
  "жук",
  "ΩΑ λόγον",
  "ωα ΛΌΓΟΝ",
  "Direct",
  "direct",
  " leading",
  "trailing ",
  "line\nbreak\ttab",
  "__proto__",
  "constructor",
  "null",
  "NULL",
  "true",
  "0",
  "-1.5",
  "{x:String}",
  "'; DROP TABLE events; --",
  "x".repeat(400),
  `${"long ".repeat(1_000)}end`,
];
const USUAL = {
  referrer: ["google.com", "Google.com", "t.co", "news.example", "x.com"],
  referrer_url: ["https://google.com/", "https://t.co/a?b=c&d=%20", "https://news.example/é"],
  ref: ["alice", "Alice", "bob"],
  utm_source: ["google", "twitter", "newsletter"],
  utm_medium: ["cpc", "CPC", "email", "social"],
  utm_campaign: ["spring", "Spring", "launch_2026"],
  utm_term: ["wallet", "swap"],
  utm_content: ["banner", "link"],
  origin: ["app.example", "example.com", "www2.example"],
  pathname: ["/", "/swap", "/Swap", "/swap/", "/a%20b"],
  browser: ["chrome", "safari", "metamask"],
  os: ["windows", "ios", "android"],
  rdns: ["io.metamask", "app.phantom"],
  provider_name: ["MetaMask", "Phantom"],
  chain_id: ["1", "1", "1", "1", "10", "10", "10", "137", "8453", "42161", "0", "01", "solana"],
  builder_codes: ["base", "base,uniswap", "uniswap,Base,zora", "zora,zora", "zora"],
  paid_source: ["google", "meta", "paid_utm"],
  click_id: ["Cj0KCQ", "IwAR0", "Cj0KCQiA7"],
  event: ["", "Swap", "swap", "Purchase", "page"],
} as const;
const DEVICES = ["desktop", "mobile-ios", "mobile-android", "tablet", "bot", "bot"];
const LOCATIONS = ["DE", "US", "FR", "JP"];
const TYPES = [
  ...["page", "page", "page", "track", "track", "connect", "signature", "transaction", "transaction"],
  ...["identify", "decoded_log", "Page", "pageview"],
];

/** Mulberry32: 32 bits of state are plenty for test data, and a seed reproduces a failure. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: <T>(list: readonly T[]): T => {
      if (list.length === 0) throw new Error("nothing to pick from");
      return list[int(list.length)] as T;
    },
  };
}

// ---- Events ----

/** `count` stored events, copies included, in no order. */
export function generateEvents(
  random: Random,
  {
    projects,
    days,
    count,
    poolSize = 3 + Math.floor(count / 30),
  }: {
    projects: readonly string[];
    days: readonly string[];
    count: number;
    /** Of visitors, who have several names each: the fewer, the more of them come again. */
    poolSize?: number;
  },
): OracleEvent[] {
  const events: OracleEvent[] = [];
  const firsts: OracleEvent[] = [];
  const lastReceived = new Map<string, number>();
  const perMessage = new Map<string, number>();

  const keyOf = (event: OracleEvent): string => JSON.stringify([event.project_id, event.day, event.message_id]);
  const messageOf = (project: string, event: OracleEvent): string => JSON.stringify([project, event.message_id]);
  const addFirst = (event: OracleEvent): void => {
    const message = messageOf(event.project_id, event);
    perMessage.set(message, (perMessage.get(message) ?? 0) + 1);
    lastReceived.set(keyOf(event), event.received_at);
    firsts.push(event);
    events.push(event);
  };
  const fresh = (): OracleEvent => makeEvent(random, { project: random.pick(projects), days, poolSize });

  for (let number = 0; events.length < count; number++) {
    const kind = firsts.length === 0 ? 1 : random.next();
    const first = firsts.length === 0 ? fresh() : random.pick(firsts);
    const { project_id, day, message_id } = first;
    if (kind < 0.12) {
      // A later copy under the same key: a plain retry, or other contents, time and session.
      const contents = random.chance(0.3) ? first : fresh();
      const received_at = (lastReceived.get(keyOf(first)) ?? 0) + 1 + random.int(random.chance(0.5) ? 5 : DAY_MS);
      lastReceived.set(keyOf(first), received_at);
      events.push({ ...contents, project_id, day, message_id, received_at });
    } else if (kind < 0.15) {
      // The same message in another project is another event, even of the same visitor, session and instant.
      const project = random.pick(projects);
      if (!perMessage.has(messageOf(project, first))) addFirst({ ...first, project_id: project });
    } else if (kind < 0.18) {
      // The same message on another client day is another event. One per message, at another instant: two events of
      // one session with the same instant and message would have no order.
      const other = fresh();
      const isFree = perMessage.get(messageOf(project_id, first)) === 1;
      if (isFree && other.day !== day && other.timestamp !== first.timestamp) {
        addFirst({ ...other, project_id, message_id, session_id: first.session_id });
      }
    } else {
      const prefix = random.pick(["m", "m", "M", "é", "！", "！", "😀", "😀", "0", "'\\", " "]);
      const event = { ...fresh(), message_id: `${prefix}${number}` };
      // Events of one session at one instant are told apart by message id only.
      const { timestamp, received_at, session_id, anonymous_id, user_id, address } = first;
      const twin = { project_id, day, timestamp, received_at, session_id, anonymous_id, user_id, address };
      addFirst(kind < 0.3 ? { ...event, ...twin } : event);
    }
  }
  return shuffle(random, events);
}

function makeEvent(
  random: Random,
  { project, days, poolSize }: { project: string; days: readonly string[]; poolSize: number },
): OracleEvent {
  const timestamp = makeInstant(random, random.pick(days));
  const kind = random.pick(KINDS);
  return {
    project_id: project,
    day: makeClientDay(random, timestamp),
    message_id: "",
    timestamp,
    received_at: timestamp + makeDelay(random),
    type: random.pick(TYPES),
    event: text(random, "event", 0.6),
    ...makeIdentity(random, poolSize),
    session_id: random.chance(0.55) ? makeSessionId(random, poolSize) : "",
    ...makeContext(random, kind),
    volume: random.chance(0.6) ? 0 : makeAmount(random),
    revenue: kind !== "signal" && random.chance(0.5) ? 0 : makeAmount(random),
    points: random.chance(0.6) ? 0 : random.int(5) * 10,
    properties: makeProperties(random),
    context: random.chance(0.3) ? { locale: random.pick(["en-US", "de"]), timezone: "Europe/Berlin" } : {},
    channel: random.pick(["web", "web", "web", "mobile", "server", "import"]),
    version: random.pick(["0", "1"]),
  };
}

export const STATUSES = ["requested", "started", "broadcasted", "confirmed", "reverted", "rejected"];
/** A number of JSON as a client wrote it. The runtime has `rawJSON`, but TypeScript's own types do not yet. */
const { rawJSON: sent } = JSON as unknown as { rawJSON(text: string): object };
/** Some keys look like paths of JSON. */
export const PROPERTIES: Record<string, readonly unknown[]> = {
  token: ["USDC", "usdc", "ETH", "", 5, null],
  amount: [1, 2.5, -3, 0, "2.5", "many", "0x10", "1e1", true, null, { a: 1 }],
  "a/b~c": ["x", 1],
  "$.token": ["USDC"],
  "a.b": ["dotted", "Dotted"],
  'it\'s "q" \\ {x:String}': ["odd"],
  "😀 sum": [1, 12, "7"],
  __proto__x: ["y"],
  size: [sent("1.0"), sent("1e3"), sent("1E2"), sent("12.50"), 12.5, 1, 1000, "1.0", "1e3"],
  wei: [
    ...[sent("12345678901234567890123"), sent("-98765432109876543210987"), sent("1e400"), sent("18446744073709551615")],
    'said "12345678901234567890123, 1e400", \\',
    [sent("1.0"), { a: sent("1e400"), b: "2.0", c: [sent("12.50"), "1e400"] }],
  ],
};

function makeProperties(random: Random): Record<string, unknown> {
  const found = Object.entries(PROPERTIES)
    .filter(() => random.chance(0.3))
    .map(([key, values]) => [key, random.pick(values)]);
  const status = random.chance(0.5) ? [["status", random.pick(STATUSES)]] : [];
  return Object.fromEntries([...found, ...status]) as Record<string, unknown>;
}

function makeInstant(random: Random, day: string): number {
  const start = Date.parse(`${day}T00:00:00.000Z`);
  if (random.chance(0.4)) return start + random.int(DAY_MS);
  // Around a gap that ends the activity of a session, and around the activity that is no bounce.
  const later = random.pick([0, 0, 1, 9_998, 9_999, 10_000, 0.5 * HOUR_MS, 0.5 * HOUR_MS + 1, 0.5 * HOUR_MS + 2]);
  return start + random.pick([0, 0, 1, DAY_MS - 1, DAY_MS - 1, 12 * HOUR_MS + later, 12 * HOUR_MS + later]);
}

/** Mostly on time, sometimes weeks late, sometimes from a clock up to an hour ahead. */
function makeDelay(random: Random): number {
  if (random.chance(0.7)) return random.int(2_000);
  return random.chance(0.7) ? random.int(40 * DAY_MS) : -random.int(HOUR_MS);
}

/** The client's clock may be on the neighbouring day, or wildly wrong. */
function makeClientDay(random: Random, timestamp: number): string {
  if (random.chance(0.85)) return dayOf(timestamp);
  if (random.chance(0.8)) return dayOf(timestamp + random.pick([-1, 1]) * DAY_MS);
  return random.pick(["2001-01-01", "2099-12-31"]);
}

/** Always somebody. One of the user ids is also an anonymous id: by definition the same visitor. */
function makeIdentity(random: Random, poolSize: number): Pick<OracleEvent, "anonymous_id" | "user_id" | "address"> {
  const who = random.int(poolSize);
  const anonymous_id = random.pick([`v${who}`, `v${who}`, `V${who}`, who === 0 ? "__proto__" : `vé|${who}`]);
  const user_id = random.pick([`u${who}`, `u${who}`, "v1"]);
  const evm = `0x${who.toString(16).padStart(4, "0").repeat(9)}abcd`;
  const address = random.pick([evm, evm, `So1${who}AbCdEf`]);
  const kind = random.next();
  if (kind < 0.5) return { anonymous_id, user_id: "", address: random.chance(0.3) ? address : "" };
  if (kind < 0.65) return { anonymous_id, user_id, address };
  if (kind < 0.85) return { anonymous_id: "", user_id, address: random.chance(0.3) ? address : "" };
  return { anonymous_id: "", user_id: "", address };
}

/**
 * Few ids, so that most sessions hold several events. They are not bound to a visitor, project or day: some sessions
 * have two visitors or cross midnight.
 */
function makeSessionId(random: Random, poolSize: number): string {
  const number = random.int(Math.ceil(poolSize / 4));
  return random.pick([`s${number}`, `s${number}`, `s${number}`, `S${number}`, `s'|\\${number}`]);
}

type Context = Omit<
  OracleEvent,
  | ("project_id" | "day" | "message_id" | "timestamp" | "received_at" | "type" | "event")
  | ("anonymous_id" | "user_id" | "address" | "session_id" | "volume" | "revenue" | "points")
>;

const SIGNALS = ["referrer", "ref", "utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"] as const;
const KINDS = [
  ...(["arrival", "arrival", "arrival", "inside", "inside", "server", "server", "mixture"] as const),
  // With revenue: whether it counts under its own columns hangs on that one signal.
  ...(["signal", "signal", "signal"] as const),
];

/** An arrival with a source, a page within the visit, a server event with one signal or none, or any mixture. */
function makeContext(random: Random, kind: (typeof KINDS)[number]): Context {
  if (kind === "signal") {
    const signal = random.pick(SIGNALS);
    const nothing = makeColumns(random, { source: 0, page: 0, client: 0, channel: 0, touch: 0 });
    return { ...nothing, [signal]: text(random, signal, 1) };
  }
  if (kind === "server") return makeColumns(random, { source: 0, page: 0, client: 0, channel: 0, touch: 0 });
  if (kind === "inside") return makeColumns(random, { source: 0, page: 0.9, client: 0.9, channel: 0, touch: 0.9 });
  if (kind === "arrival") return makeColumns(random, { source: 0.4, page: 0.9, client: 0.9, channel: 0.8, touch: 1 });
  return makeColumns(random, { source: 0.15, page: 0.4, client: 0.4, channel: 0.3, touch: 0.4 });
}

function makeColumns(
  random: Random,
  odds: { source: number; page: number; client: number; channel: number; touch: number },
): Context {
  return {
    // A host has no space.
    origin: text(random, "origin", odds.page).replaceAll(" ", ""),
    pathname: text(random, "pathname", odds.page),
    referrer: text(random, "referrer", odds.source),
    referrer_url: text(random, "referrer_url", odds.source),
    ref: text(random, "ref", odds.source / 2),
    utm_source: text(random, "utm_source", odds.source),
    utm_medium: text(random, "utm_medium", odds.source),
    utm_campaign: text(random, "utm_campaign", odds.source),
    utm_term: text(random, "utm_term", odds.source / 2),
    utm_content: text(random, "utm_content", odds.source / 2),
    device: random.chance(odds.client) ? random.pick(DEVICES) : "",
    browser: text(random, "browser", odds.client),
    os: text(random, "os", odds.client),
    location: random.chance(odds.client) ? random.pick(LOCATIONS) : "",
    rdns: text(random, "rdns", odds.client / 2),
    provider_name: text(random, "provider_name", odds.client / 2),
    chain_id: text(random, "chain_id", odds.client / 2),
    builder_codes: text(random, "builder_codes", odds.page / 3),
    paid_source: text(random, "paid_source", odds.source),
    click_id: text(random, "click_id", odds.source),
    acquisition: random.chance(odds.channel) ? random.pick(CHANNELS.split("|")) : "Direct",
    has_touch: random.chance(odds.touch) ? 1 : 0,
  };
}

function text(random: Random, column: keyof typeof USUAL, odds: number): string {
  if (!random.chance(odds)) return "";
  return random.chance(0.2) ? random.pick(ODD) : random.pick<string>(USUAL[column]);
}

/** At most 4 decimals and below 1e6 in size: in billionths such numbers have no ties and add up exactly. */
function makeAmount(random: Random): number {
  const size = random.pick([0.01, 1, 100, 100, 999_999]);
  const amount = random.chance(0.4) ? random.pick([1, 2.5, 0.1, 0.2, 10, -1, -2.5]) : (random.next() * 2 - 0.7) * size;
  const bounded = Math.max(-999_999, Math.min(999_999, amount));
  return Math.round(bounded * 10_000) / 10_000 || 0; // no negative zero
}

// ---- Queries ----

const TOP_SOURCES_COLUMNS =
  "referrer|referrer_url|ref|utm_source|utm_medium|utm_campaign|utm_term|utm_content|origin|device|browser|os|channel|paid_source";
export const REVENUE_COLUMNS = `${TOP_SOURCES_COLUMNS}|pathname|builder_codes|location|rdns|provider_name|chain_id|event`;
export const UNKNOWN_COLUMNS = "nope|__proto__|constructor|Referrer|acquisition|volume|project_id|page|a b'\\";
/** Known to revenue_by_metric, unknown to top_sources. */
const UNKNOWN_SOURCES = `${UNKNOWN_COLUMNS}|pathname|chain_id|event|location|builder_codes`;

/** The page is asked for often, because its scope matters. */
const TEXT_FIELDS =
  "page|page|device|browser|os|location|referrer|referrer_url|ref|origin|utm_source|utm_medium|utm_campaign|utm_content|utm_term|channel|builder_codes|event|type|page|chain_id|address|address";
const NUMERIC_FIELDS = ["volume", "revenue", "points"] as const;
const SAME = "equals|eq|equals|eq|notEquals|neq";
const LIST = "in|in|notIn|nin";
const SUBSTRING = "includes|contains|startsWith|endsWith";
const ORDER = "greater|gt|greaterOrEqual|gte|less|lt|lessOrEqual|lte";

export function generateQuery(
  random: Random,
  { projects, days, events }: { projects: readonly string[]; days: readonly string[]; events: readonly OracleEvent[] },
): OracleQuery {
  const report = random.pick(["top_sources", "top_chains", "revenue_by_metric"] as const);
  const metric = makeMetric(random, report);
  const asked = random.chance(0.5) ? projects : projects.filter(() => random.chance(0.5));
  // Answered from the rollups, which hold the most that can go wrong.
  const isPlain = random.chance(0.35);
  const bots = random.chance(0.5) ? projects.filter(() => random.chance(0.6)) : undefined;
  return {
    report,
    projects: shuffle(random, asked.length > 0 ? asked : [random.pick(projects)]),
    ...makeWindow(random, days),
    ...(metric === undefined ? {} : { metric_column: metric }),
    filters: isPlain ? [] : makeFilters(random, events.filter(isCounted(report)), events),
    ...(random.chance(0.3) ? { page_scope: random.pick(["page", "session"] as const) } : {}),
    limit: random.pick([1, 2, 3, 5, 10, 50, 50, 50, 1000]),
    offset: random.chance(0.75) ? 0 : random.pick([1, 2, 5, 20, 100_000]),
    ...(bots === undefined ? {} : { excludeBots: bots }),
  };
}

function isCounted(report: OracleQuery["report"]): (event: OracleEvent) => boolean {
  if (report === "top_sources") return () => true;
  return report === "top_chains" ? ({ chain_id }) => chain_id !== "" : ({ revenue }) => revenue !== 0;
}

function makeMetric(random: Random, report: OracleQuery["report"]): string | undefined {
  if (report === "top_chains") return undefined;
  const isUnknown = random.chance(0.06);
  if (report === "revenue_by_metric") return random.pick((isUnknown ? UNKNOWN_COLUMNS : REVENUE_COLUMNS).split("|"));
  if (isUnknown) return random.pick(UNKNOWN_SOURCES.split("|"));
  return random.chance(0.15) ? undefined : random.pick(TOP_SOURCES_COLUMNS.split("|"));
}

export function makeWindow(random: Random, days: readonly string[]): { from: string; to: string } {
  const sorted = days.toSorted();
  const first = Date.parse(sorted.at(0) ?? "");
  const last = Date.parse(sorted.at(-1) ?? "");
  const around = (from: number, to: number): { from: string; to: string } => ({ from: dayOf(from), to: dayOf(to) });
  const kind = random.next();
  if (kind < 0.04) return { from: random.pick(["1970-01-01", "0001-01-01", "1969-12-31"]), to: dayOf(last) };
  if (kind < 0.2) return around(first, last);
  // Whoever was seen before the window counts on their first day in it.
  if (kind < 0.4 && sorted.length > 1) return around(Date.parse(random.pick(sorted.slice(1))), last);
  if (kind < 0.6) {
    const [from, to] = [random.pick(days), random.pick(days)].toSorted();
    return { from: from ?? "", to: to ?? "" };
  }
  if (kind < 0.7) {
    const day = random.pick(days);
    return { from: day, to: day };
  }
  if (kind < 0.8) return around(first - (1 + random.int(30)) * DAY_MS, Date.parse(random.pick(days)));
  if (kind < 0.95) return around(Date.parse(random.pick(days)), last + (1 + random.int(30)) * DAY_MS);
  if (random.chance(0.5)) return around(first - (2 + random.int(9)) * DAY_MS, first - DAY_MS);
  return around(last + DAY_MS, last + (1 + random.int(9)) * DAY_MS);
}

/** Filters of one query mostly describe one event, so that several together still find something. */
export function makeFilters(random: Random, counted: readonly OracleEvent[], events: readonly OracleEvent[]): Filter[] {
  const count = random.pick([0, 1, 1, 1, 1, 2, 2, 3, 4]);
  if (count === 0 || events.length === 0) return [];
  const anchor = random.pick(counted.length > 0 ? counted : events);
  return Array.from({ length: count }, () => {
    const source = random.chance(0.8) ? anchor : random.pick(events);
    if (random.chance(0.15)) return makePropertyFilter(random, source, events);
    return random.chance(0.2) ? makeNumericFilter(random, source, events) : makeTextFilter(random, source, events);
  });
}

/** A property, mostly one that the event has. Sizes are asked about numbers and about what is none. */
function makePropertyFilter(random: Random, source: OracleEvent, events: readonly OracleEvent[]): Filter {
  const own = Object.keys(source.properties ?? {});
  const key = random.pick(own.length > 0 && random.chance(0.8) ? own : ["missing", ...Object.keys(PROPERTIES)]);
  const field = `properties.${key}`;
  if (random.chance(0.3))
    return { field, op: pickOperator(random, ORDER), value: random.pick([0, 1, 2.5, "2.5", -3, 7]) };
  const { op, value } = makeTextFilter(random, { ...source, event: propertyText(source, key) }, events, "event");
  return { field, op, ...(value === undefined ? {} : { value }) };
}

function makeTextFilter(
  random: Random,
  source: OracleEvent,
  events: readonly OracleEvent[],
  field = random.pick(TEXT_FIELDS.split("|")),
): Filter {
  const value = makeText(random, field, source);
  const kind = random.next();
  if (kind < 0.08) return { field, op: random.pick(["isEmpty", "notEmpty"]) };
  if (kind < 0.4) return { field, op: pickOperator(random, SAME), value: makeScalar(random, value) };
  if (kind < 0.7) {
    const others = Array.from({ length: random.int(4) }, () => makeText(random, field, random.pick(events)));
    const values = shuffle(random, [value, ...others]);
    return { field, op: pickOperator(random, LIST), value: makeList(random, values) };
  }
  return { field, op: pickOperator(random, SUBSTRING), value: makeScalar(random, makePart(random, value)) };
}

function makeNumericFilter(random: Random, source: OracleEvent, events: readonly OracleEvent[]): Filter {
  const field = random.pick(NUMERIC_FIELDS);
  const kind = random.next();
  if (kind < 0.25) {
    const others = Array.from({ length: random.int(4) }, () => random.pick(events)[field]);
    const values = shuffle(random, [source[field], ...others]);
    const value = random.pick([values, values.map(String), values.join("|")]);
    return { field, op: pickOperator(random, LIST), value };
  }
  const number = random.pick([source[field], source[field], source[field], 0, 1, -0.5, 1_000_000]);
  const op = pickOperator(random, kind < 0.5 ? SAME : ORDER);
  return { field, op, value: random.chance(0.3) ? String(number) : number };
}

function pickOperator(random: Random, operators: string): string {
  return random.pick(operators.split("|"));
}

/** Mostly the event's own value, as a client may spell it. */
function makeText(random: Random, field: string, source: OracleEvent): string {
  if (random.chance(0.08)) return random.pick(["nope", "", "Direct", "%", "_", "\\", "'", "|", ...ODD].filter(isShort));
  const all = textOf(source, field);
  const stored = field === "builder_codes" && random.chance(0.8) ? random.pick(all.split(",")) : all;
  if (field === "referrer" && stored === "" && random.chance(0.8)) return "Direct";
  if (field === "address" && stored.startsWith("0x") && random.chance(0.4))
    return `0x${flipCase(random, stored.slice(2))}`;
  if (random.chance(0.05)) return flipCase(random, stored.slice(0, LONGEST_FILTER_VALUE));
  return isShort(stored) ? stored : stored.slice(0, LONGEST_FILTER_VALUE);
}

function isShort(value: string): boolean {
  return value.length <= LONGEST_FILTER_VALUE;
}

/** A piece of the value by whole characters, at its start, its end, in the middle, or all of it; case often changed. */
function makePart(random: Random, value: string): string {
  const letters = Array.from(value);
  const from = random.chance(0.5) ? 0 : random.int(letters.length + 1);
  const to = random.chance(0.5) ? letters.length : from + random.int(4);
  const piece = letters.slice(from, to);
  // A wildcard of LIKE in the place of a letter must not match that letter.
  if (piece.length > 0 && random.chance(0.15)) piece[random.int(piece.length)] = random.pick(["%", "_"]);
  const part = piece.join("");
  return random.chance(0.5) ? flipCase(random, part) : part;
}

function flipCase(random: Random, value: string): string {
  return random.chance(0.5) ? value.toUpperCase() : value.toLowerCase();
}

/** A number or boolean where that is the same text. */
function makeScalar(random: Random, value: string): Scalar {
  if (value === String(Number(value)) && Number.isFinite(Number(value)) && random.chance(0.5)) return Number(value);
  return value === "true" && random.chance(0.5) ? true : value;
}

/** A pipe-delimited string (values with pipes then fall apart), an array (they do not), or a bare value. */
function makeList(random: Random, values: string[]): NonNullable<Filter["value"]> {
  const [only] = values;
  if (values.length === 1 && only !== undefined && random.chance(0.3)) return makeScalar(random, only);
  // An array holds no value with a bar.
  if (random.chance(0.5) || values.some((value) => value.includes("|"))) return values.join("|");
  return values.map((value) => {
    const scalar = makeScalar(random, value);
    return typeof scalar === "number" ? scalar : value;
  });
}

export function shuffle<T>(random: Random, list: readonly T[]): T[] {
  const left = [...list];
  return list.flatMap(() => left.splice(random.int(left.length), 1));
}

function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}
