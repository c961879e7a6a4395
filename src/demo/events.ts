/**
 * The events of the demo: a hundred days of an invented exchange that end now, with a bot wave, two campaigns and an
 * outage. The seed is fixed: a demo of the same hour is the same everywhere.
 */
import { DAY_MS } from "../lib/time.ts";
import {
  BOT_AGENT,
  BOT_WAVE,
  BUILDER_CODES,
  CHAINS,
  COHORTS,
  DAYS,
  DEVICES,
  HOURS,
  OUTAGE,
  PAGES,
  PLACES,
  SEED,
  SITE,
  SOURCES,
  VISITORS,
  WALLETS,
  WEEKDAYS,
} from "./exchange.ts";
import { createRandom, type Random } from "./random.ts";

/** Some visitors came before the demo begins, so that its first days have returning ones. */
const DAYS_BEFORE = 24;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** As the events server receives it, without `sent_at`, which is the time of sending. */
export type DemoEvent = Readonly<Record<string, unknown>> & { readonly original_timestamp: string };

interface Visitor {
  readonly id: string;
  readonly userAgent: string;
  readonly place: (typeof PLACES)[number];
  readonly wallet: (typeof WALLETS)[number] | undefined;
  readonly address: string;
  /** How far down the way from visit to transaction this person tends to go, from 0 to 1. */
  readonly drive: number;
}

/** Visitor by visitor, and then the bots: whoever sends them can pause between two. */
export function* createDemoEvents(endMs: number): Generator<readonly DemoEvent[]> {
  const random = createRandom(SEED);
  const startMs = startOfDemo(endMs);
  let count = 0;
  let events: DemoEvent[] = [];
  const add = (atMs: number, event: Record<string, unknown>) => {
    if (atMs >= endMs || isOutage(atMs - startMs)) return;
    count += 1;
    const original_timestamp = new Date(atMs).toISOString();
    events.push({ ...event, message_id: `demo-${SEED}-${count}`, original_timestamp });
  };
  const take = () => {
    const taken = events;
    events = [];
    return taken;
  };
  for (let i = 0; i < VISITORS; i += 1) {
    const visitor = createVisitor(random, i);
    for (const day of visitDays(random, startMs)) {
      const atMs = startMs + day * DAY_MS + hourOf(random) * HOUR_MS + random.int(HOUR_MS);
      addVisit(random, visitor, { atMs, day }, add);
    }
    yield take();
  }
  for (let i = 0; i < BOT_WAVE.visits; i += 1) addBot(random, i, startMs + BOT_WAVE.day * DAY_MS, add);
  yield take();
}

/** The beginning of its first day. */
export function startOfDemo(endMs: number): number {
  return Math.floor(endMs / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS;
}

/** A visit of somebody new that begins now, by the times of its events. */
export function createVisit(random: Random, startMs: number): readonly DemoEvent[] {
  const visit: DemoEvent[] = [];
  const id = random.hex(16);
  const visitor = { ...createVisitor(random, 0), id: `demo-live-${id}` };
  addVisit(random, visitor, { atMs: startMs, day: DAYS }, (atMs, event) => {
    const message_id = `demo-live-${id}-${visit.length}`;
    visit.push({ ...event, message_id, original_timestamp: new Date(atMs).toISOString() });
  });
  return visit;
}

function createVisitor(random: Random, number: number): Visitor {
  const hasWallet = random.chance(0.62);
  return {
    id: `demo-${number}-${random.hex(8)}`,
    userAgent: random.weigh(DEVICES).userAgent,
    place: random.weigh(PLACES),
    wallet: hasWallet ? random.weigh(WALLETS) : undefined,
    address: `0x${random.hex(40)}`,
    drive: random.next(),
  };
}

/** The first day of a visitor, of a site that grows, and the days on which some come back. */
function visitDays(random: Random, startMs: number): number[] {
  let first = 0;
  do first = Math.floor((DAYS + DAYS_BEFORE) * random.next() ** 0.75) - DAYS_BEFORE;
  while (random.next() * 1.12 > weekdayShare(startMs, first));
  const days = first < 0 ? [] : [first];
  const readiness = COHORTS[Math.floor(first / 7)] ?? 0.75;
  const eagerness = random.chance(0.34) ? (0.12 + random.next() * 0.4) * readiness : 0;
  for (let day = Math.max(0, first + 1); day < DAYS; day += 1) {
    // Half as often after three weeks, and then for long.
    const left = 0.25 + 0.75 * 0.5 ** ((day - first) / 14);
    if (random.chance(eagerness * left * weekdayShare(startMs, day) * 0.62)) days.push(day);
  }
  return days;
}

function weekdayShare(startMs: number, day: number): number {
  return WEEKDAYS[new Date(startMs + day * DAY_MS).getUTCDay()] ?? 1;
}

const WEIGHED_HOURS = HOURS.map((weight, hour) => ({ weight, hour }));

function hourOf(random: Random): number {
  return random.weigh(WEIGHED_HOURS).hour;
}

type Add = (atMs: number, event: Record<string, unknown>) => void;

function addVisit(random: Random, visitor: Visitor, { atMs, day }: { atMs: number; day: number }, add: Add): void {
  const source = random.weigh(SOURCES.filter(({ from = 0, to = DAYS }) => day >= from && day <= to));
  const landing = random.weigh(PAGES);
  let clockMs = atMs;
  const later = (fromMs: number, toMs: number) => {
    clockMs += fromMs + random.int(toMs - fromMs);
    return clockMs;
  };
  const page = (path: string, title: string, query = "") => {
    const url = `${SITE}${path}${query === "" ? "" : `?${query}`}`;
    const context = { ...contextOf(visitor), page_url: url, page_path: path, page_title: title };
    const referrer = query === "" && clockMs > atMs ? `${SITE}/` : source.referrer;
    add(clockMs, { ...eventOf(visitor, "page"), context: { ...context, referrer }, properties: { url, path, title } });
    return context;
  };
  let context = page(landing.path, landing.title, source.query);
  const views = random.chance(0.38) ? 0 : 1 + random.int(4);
  for (let i = 0; i < views; i += 1) {
    later(4 * SECOND_MS, 3 * MINUTE_MS);
    const next = random.weigh(PAGES);
    context = page(next.path, next.title);
  }
  if (visitor.wallet === undefined || views === 0 || visitor.drive < 0.36) return;
  addWalletSteps(random, visitor, { context, later, add });
}

interface Visit {
  readonly context: Record<string, unknown>;
  later(fromMs: number, toMs: number): number;
  readonly add: Add;
}

/** Connect, sign, send a transaction; each step fewer. */
function addWalletSteps(random: Random, visitor: Visitor, { context, later, add }: Visit): void {
  const chain_id = random.weigh(CHAINS).id;
  const wallet = { chain_id, rdns: visitor.wallet?.rdns, provider_name: visitor.wallet?.name };
  const own = (type: string, event = "") => ({ ...eventOf(visitor, type, event), address: visitor.address, context });
  add(later(3 * SECOND_MS, 40 * SECOND_MS), { ...own("connect"), properties: wallet });
  if (visitor.drive < 0.5) return;
  add(later(5 * SECOND_MS, MINUTE_MS), { ...own("signature"), properties: { ...wallet, status: "requested" } });
  if (random.chance(0.12)) {
    add(later(2 * SECOND_MS, 20 * SECOND_MS), { ...own("signature"), properties: { ...wallet, status: "rejected" } });
    return;
  }
  add(later(2 * SECOND_MS, 20 * SECOND_MS), { ...own("signature"), properties: { ...wallet, status: "confirmed" } });
  if (visitor.drive < 0.6) return;
  const sent = { ...wallet, transaction_hash: `0x${random.hex(64)}`, builder_codes: random.weigh(BUILDER_CODES).code };
  add(later(5 * SECOND_MS, 2 * MINUTE_MS), { ...own("transaction"), properties: { ...sent, status: "broadcasted" } });
  const ending = random.chance(0.94) ? "confirmed" : "reverted";
  add(later(2 * SECOND_MS, 30 * SECOND_MS), { ...own("transaction"), properties: { ...sent, status: ending } });
  if (ending === "reverted") return;
  const volume = Math.round(40 * Math.exp(random.next() * 6.4) * 100) / 100;
  const name = random.weigh([
    { weight: 70, event: "Swap Completed" },
    { weight: 18, event: "Liquidity Added" },
    { weight: 12, event: "Bridge Completed" },
  ]).event;
  const amounts = { volume, revenue: Math.round(volume * 0.0025 * 100) / 100, points: Math.round(volume / 10) };
  add(later(SECOND_MS, 5 * SECOND_MS), { ...own("track", name), properties: { ...sent, ...amounts } });
}

function addBot(random: Random, number: number, dayMs: number, add: Add): void {
  const { path, title } = random.pick(PAGES);
  const context = { user_agent: BOT_AGENT, page_url: `${SITE}${path}`, page_path: path, page_title: title };
  const event = { channel: "web", type: "page", version: "0", anonymous_id: `demo-bot-${number}`, context };
  add(dayMs + 9 * HOUR_MS + random.int(3 * HOUR_MS), event);
}

function contextOf({ userAgent, place }: Visitor): Record<string, unknown> {
  return { user_agent: userAgent, locale: place.locale, location: place.location, library_name: "Sextant demo" };
}

function eventOf(visitor: Visitor, type: string, event = ""): Record<string, unknown> {
  return { channel: "web", type, version: "0", anonymous_id: visitor.id, event };
}

function isOutage(sinceStartMs: number): boolean {
  const hour = sinceStartMs / HOUR_MS - OUTAGE.day * 24;
  return hour >= OUTAGE.fromHour && hour < OUTAGE.toHour;
}
