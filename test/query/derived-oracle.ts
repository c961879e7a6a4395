// The rows of `sessions` and `rollups` that a list of events stands for, computed with Maps and loops. Like oracle.ts, it
// shares no code with the product and is written to be obviously right, not fast.
import { compareBytes, type OracleEvent, resolve, type Session, sessionsOf, textOf, visitorOf } from "./oracle.ts";

const DAY_MS = 86_400_000;
const GAP_MS = 1_800_000;
const ENGAGED = ["connect", "transaction", "track", "decoded_log"];
const TOUCH_COLUMNS =
  "referrer referrer_url ref utm_source utm_medium utm_campaign utm_term utm_content origin device browser os channel location".split(
    " ",
  );
const MONEY_COLUMNS = `${TOUCH_COLUMNS.join(" ")} pathname rdns provider_name chain_id event`.split(" ");
const SESSION_COLUMNS = `${TOUCH_COLUMNS.join(" ")} pathname builder_codes rdns provider_name chain_id`.split(" ");

export type SessionRow = Readonly<Record<string, string | number>>;

interface Visit {
  readonly project: string;
  readonly day: string;
  readonly session: Session;
  /** By time, then by the order of equal times. */
  readonly events: readonly OracleEvent[];
  readonly pages: readonly OracleEvent[];
  readonly activeMs: number;
  readonly isBounce: boolean;
  readonly paidSource: string;
  readonly clickId: string;
  readonly firstVisitor: string;
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const nextDay = (day: string) => dayOf(Date.parse(day) + DAY_MS);
const hourOf = ({ timestamp }: OracleEvent) => new Date(timestamp).toISOString().slice(11, 13);
const pageOf = ({ origin, pathname }: OracleEvent) => `${origin} ${pathname}`;
const billionths = (amount: number) => BigInt(Math.round(amount * 1e9));
const distinct = (values: readonly string[]) => [...new Set(values)].filter((value) => value !== "");

function isTransaction({ type, properties }: OracleEvent): boolean {
  const others: unknown[] = ["started", "confirmed", "reverted", "rejected"];
  return type === "transaction" && !others.includes(properties?.status);
}

function isSignature({ type, properties }: OracleEvent): boolean {
  const others: unknown[] = ["requested", "rejected"];
  return type === "signature" && !others.includes(properties?.status);
}

function visitsOf(events: readonly OracleEvent[]): Visit[] {
  const projects = [...new Set(events.map(({ project_id }) => project_id))];
  return sessionsOf(events, { projects, from: "1970-01-01", to: "2149-01-01" }).map((session) => {
    const sorted = session.events.toSorted(
      (a, b) => a.timestamp - b.timestamp || compareBytes(a.tie ?? a.message_id, b.tie ?? b.message_id),
    );
    const gaps = sorted.slice(1).map((event, at) => event.timestamp - (sorted[at]?.timestamp ?? 0));
    const activeMs = gaps.filter((gap) => gap <= GAP_MS).reduce((total, gap) => total + gap, 0);
    const pages = sorted.filter(({ type }) => type === "page");
    const isEngaged = sorted.some(({ type }) => ENGAGED.includes(type));
    return {
      project: session.project,
      day: dayOf(session.firstTouch.timestamp),
      session,
      events: sorted,
      pages,
      activeMs,
      isBounce: pages.length <= 1 && !isEngaged && activeMs < 10_000,
      ...paidOf(sorted),
      firstVisitor: visitorOf(session.firstTouch),
    };
  });
}

/** One row for each visitor of a session. */
export function expectedSessions(events: readonly OracleEvent[]): SessionRow[] {
  return visitsOf(events).flatMap((visit) => {
    const touch = visit.session.firstTouch;
    const all = {
      project_id: visit.project,
      day: visit.day,
      started_ms: visit.events[0]?.timestamp ?? 0,
      ended_ms: visit.events.at(-1)?.timestamp ?? 0,
      active_ms: visit.activeMs,
      is_bounce: visit.isBounce ? 1 : 0,
      entry_origin: visit.pages[0]?.origin ?? "",
      entry_page: visit.pages[0]?.pathname ?? "",
      exit_origin: visit.pages.at(-1)?.origin ?? "",
      exit_page: visit.pages.at(-1)?.pathname ?? "",
      address: visit.events.find(({ address }) => address !== "")?.address ?? "",
      paid_source: visit.paidSource,
      click_id: visit.clickId,
      ...Object.fromEntries(SESSION_COLUMNS.map((column) => [column, textOf(touch, column)])),
    };
    return [...Map.groupBy(visit.events, visitorOf)].map(([visitor, own]) => ({
      ...all,
      is_first: visitor === visit.firstVisitor ? 1 : 0,
      hits: own.filter(({ type }) => type === "page").length,
      events: own.length,
      transactions: own.filter(isTransaction).length,
      signatures: own.filter(isSignature).length,
      connects: own.filter(({ type }) => type === "connect").length,
      chains: toText(own.map(({ chain_id }) => chain_id)),
      rdns_names: toText(own.map(({ rdns }) => rdns)),
      addresses: toText(own.map(({ address }) => address)),
      pages: toText(own.filter(({ type }) => type === "page").map(pageOf)),
      revenue: sum(own, ({ revenue }) => revenue),
      volume: sum(own, ({ volume }) => volume),
      points: sum(own, ({ points }) => points),
    }));
  });
}

export const toText = (values: readonly string[]) => JSON.stringify(distinct(values).sort());

function sum(events: readonly OracleEvent[], amountOf: (event: OracleEvent) => number): string {
  return String(events.reduce((total, event) => total + billionths(amountOf(event)), 0n));
}

const MEASURES = [
  "hits",
  "sessions",
  "visitors",
  "revenue",
  "volume",
  "bounces",
  "active_ms",
  "transactions",
  "events",
];
export type Measures = Record<string, bigint>;

/** Rows of rollups by project, day, dimension, value and seen_before, joined by a line break. */
export class Rollups {
  readonly rows = new Map<string, Measures>();

  add(key: readonly string[], measures: Readonly<Record<string, bigint | number>>): void {
    const name = key.join("\n");
    const row = this.rows.get(name) ?? Object.fromEntries(MEASURES.map((measure) => [measure, 0n]));
    for (const [measure, amount] of Object.entries(measures)) row[measure] = (row[measure] ?? 0n) + BigInt(amount);
    this.rows.set(name, row);
  }
}

const NEVER = "1970-01-01";

/** Who was seen under which value, and on which days. */
class Seen {
  readonly #days = new Map<string, Set<string>>();

  note(day: string, key: readonly string[]): void {
    const name = JSON.stringify(key);
    this.#days.set(name, (this.#days.get(name) ?? new Set()).add(day));
  }

  before(day: string, key: readonly string[]): string {
    const earlier = [...(this.#days.get(JSON.stringify(key)) ?? [])].filter((one) => one < day);
    return earlier.length === 0 ? NEVER : nextDay(earlier.sort().at(-1) ?? "");
  }
}

/** `withoutBots` are the projects whose rollups leave bots out. */
export function expectedRollups(events: readonly OracleEvent[], withoutBots: readonly string[]): Rollups {
  const visits = visitsOf(events);
  const seen = new Seen();
  for (const visit of visits.filter(({ project, session }) => !(withoutBots.includes(project) && isBot(session))))
    for (const event of visit.events)
      for (const [dimension, value, who] of appearances(visit, event))
        seen.note(visit.day, [visit.project, dimension, value, who]);
  const rollups = new Rollups();
  for (const partition of Map.groupBy(visits, ({ project, day }) => `${project}\n${day}`).values())
    countPartition(rollups, partition, seen, withoutBots.includes(partition[0]?.project ?? ""));
  return rollups;
}

const isBot = ({ firstTouch }: Session) => firstTouch.device === "bot";

/** The values under which the event's visitor, or its wallet, is counted once a day. */
function appearances(visit: Visit, event: OracleEvent): [dimension: string, value: string, who: string][] {
  const visitor = visitorOf(event);
  const own: [string, string][] = [["total", ""], ...touchValues(visit)];
  if (event.chain_id !== "") own.push(["chain_id", event.chain_id]);
  if (event.rdns !== "") own.push(["rdns", event.rdns]);
  if (event.type === "page") own.push(["page", pageOf(event)]);
  const all = own.map(([dimension, value]): [string, string, string] => [dimension, value, visitor]);
  return event.address === "" ? all : [...all, ["wallet", "", event.address]];
}

/** Of the first event with a paid source. */
function paidOf(sorted: readonly OracleEvent[]): { paidSource: string; clickId: string } {
  const paid = sorted.find(({ paid_source }) => paid_source !== "");
  return { paidSource: paid?.paid_source ?? "", clickId: paid?.click_id ?? "" };
}

function touchValues({ session, paidSource }: Visit): [dimension: string, value: string][] {
  const shown = TOUCH_COLUMNS.map((column): [string, string] => [
    column,
    toShown(column, textOf(session.firstTouch, column)),
  ]);
  return paidSource === "" ? shown : [...shown, ["paid_source", paidSource]];
}

const toShown = (column: string, value: string) => (column === "referrer" && value === "" ? "Direct" : value);

function countPartition(rollups: Rollups, all: readonly Visit[], seen: Seen, leavesBotsOut: boolean): void {
  const [{ project, day } = { project: "", day: "" }] = all;
  const visits = all.filter(({ session }) => !(leavesBotsOut && isBot(session)));
  const add = (dimension: string, value: string, seenBefore: string, measures: Record<string, bigint | number>) =>
    rollups.add([project, day, dimension, value, seenBefore], measures);
  const every = visits.flatMap((visit) => visit.events.map((event) => ({ visit, event })));

  // Each visitor, or wallet, once under each value.
  const counted = new Set<string>();
  for (const { visit, event } of every)
    for (const [dimension, value, who] of appearances(visit, event)) {
      const name = JSON.stringify([dimension, value, who]);
      if (!counted.has(name))
        add(dimension, value, seen.before(day, [project, dimension, value, who]), { visitors: 1 });
      counted.add(name);
    }

  for (const visit of visits) {
    const once = { sessions: 1, bounces: visit.isBounce ? 1 : 0, active_ms: visit.activeMs };
    // What belongs to the session counts with the visitor of its first touch.
    for (const [dimension, value] of [["total", ""] as const, ...touchValues(visit)]) {
      add(dimension, value, seen.before(day, [project, dimension, value, visit.firstVisitor]), once);
      for (const event of visit.events)
        add(dimension, value, seen.before(day, [project, dimension, value, visitorOf(event)]), {
          hits: event.type === "page" ? 1 : 0,
          transactions: isTransaction(event) ? 1 : 0,
          ...(dimension === "total" ? moneyOf(event) : {}),
          ...(dimension === "total" ? { events: 1 } : {}),
        });
    }
    for (const chain of distinct(visit.events.map(({ chain_id }) => chain_id)))
      add("chain_id", chain, NEVER, { sessions: 1 });
    for (const rdns of distinct(visit.events.map((event) => event.rdns))) add("rdns", rdns, NEVER, { sessions: 1 });
    for (const page of new Set(visit.pages.map(pageOf))) add("page", page, NEVER, { sessions: 1 });
    const [entry, exit] = [visit.pages[0], visit.pages.at(-1)];
    const ends = { ...once, hits: visit.pages.length };
    if (entry !== undefined) add("entry_page", pageOf(entry), NEVER, ends);
    if (exit !== undefined) add("exit_page", pageOf(exit), NEVER, ends);
    const [start] = visit.events;
    if (start !== undefined) add("hour started", hourOf(start), NEVER, once);
    for (const hour of new Set(visit.events.map(hourOf))) add("hour", hour, NEVER, { sessions: 1 });
  }

  for (const { event } of every) {
    const isPage = event.type === "page" ? 1 : 0;
    if (isPage) add("page", pageOf(event), NEVER, { hits: 1 });
    add(`event ${event.type}`, event.event, NEVER, { hits: 1 });
    add("hour", hourOf(event), NEVER, {
      hits: isPage,
      events: 1,
      transactions: isTransaction(event) ? 1 : 0,
      ...moneyOf(event),
    });
  }
  for (const [hour, own] of Map.groupBy(every, ({ event }) => hourOf(event))) {
    add("hour", hour, NEVER, { visitors: new Set(own.map(({ event }) => visitorOf(event))).size });
    const wallets = distinct(own.map(({ event }) => event.address)).length;
    if (wallets > 0) add("hour wallets", hour, NEVER, { visitors: wallets });
  }

  for (const visit of all)
    if (leavesBotsOut && isBot(visit.session)) add("left out", "bot", NEVER, { hits: visit.events.length });

  // An amount is a bot's by the device under which it counts.
  for (const { visit, event } of all.flatMap((visit) => visit.events.map((event) => ({ visit, event }))))
    for (const measure of ["revenue", "volume"] as const) {
      if (event[measure] === 0) continue;
      if (leavesBotsOut && resolve(event, visit.session.firstTouch, "device") === "bot") continue;
      const amount = { hits: 1, [measure]: billionths(event[measure]) };
      for (const column of MONEY_COLUMNS)
        add(`${measure} ${column}`, toShown(column, resolve(event, visit.session.firstTouch, column)), NEVER, amount);
      const paid = event.paid_source || visit.paidSource;
      if (paid !== "") add(`${measure} paid_source`, paid, NEVER, amount);
    }
}

const moneyOf = ({ revenue, volume }: OracleEvent) => ({ revenue: billionths(revenue), volume: billionths(volume) });
