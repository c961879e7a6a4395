import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { REMOVED_AFTER_MS } from "../../src/definitions/kept-days.ts";
import { type AnalyticsEngine, connectAnalytics } from "../../src/engines/analytics.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { DAY_MS } from "../../src/lib/time.ts";
import { createRunReport, type RunReport } from "../../src/query/run.ts";
import { createTurns } from "../../src/query/turns.ts";
import { BUILT_TABLES, buildDay, type ProjectDay } from "../../src/warehouse/build-day.ts";
import { closeDueDays } from "../../src/warehouse/close-days.ts";
import { createDayBook, FIND_DAYS, LATE } from "../../src/warehouse/day-book.ts";
import { migrateWarehouse } from "../../src/warehouse/migrate.ts";
import { rebuildDerived } from "../../src/warehouse/rebuild.ts";
import { type ProjectLimit, removeExpiredEvents } from "../../src/warehouse/retention.ts";
import { buildRunningDays } from "../../src/warehouse/running-days.ts";
import { startTestEngine } from "../support/engine.ts";
import { createRandom, generateEvents, generateQuery } from "./generate.ts";
import { answer, type OracleEvent, type OracleQuery } from "./oracle.ts";

const LAST_MS = Number.MAX_SAFE_INTEGER;
const DAYS = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05", "2026-03-06"];

/** Reports share what they see of the days for a quarter of a second. */
const LOOK_AGAIN_MS = 300;

/** What it is now for reports and for who removes days. */
const NOW_MS = Date.parse("2026-03-05T12:00:00Z");
const clock = { nowMs: () => NOW_MS };

const TYPES: Record<string, string> = {
  hits: "UInt64",
  sessions: "UInt64",
  visitors: "UInt64",
  sum_revenue: "Float64",
};

export interface TestWarehouse {
  engine: AnalyticsEngine;
  stop(): Promise<void>;
}

export interface Comparison {
  seed: number;
  queries: number;
  /** Queries asked of one set of events, in one of its states. */
  queriesPerState?: number;
  eventsPerSet?: number;
  /** The first of the days only: each of them is built about five times, for 0.3 s of processor whatever it holds. */
  days?: number;
  /** Where the warehouse is; its schema is there already. Default: an engine of its own. */
  open?: () => Promise<TestWarehouse>;
  /** Hears how many questions each state of the days was asked. */
  onState?: (asked: number) => void;
}

/**
 * Asks the product and the oracle the same generated questions about the same generated events, and demands the same answer to the
 * last row. Each set of events is asked about while all of its days are open, when they are closed, when late events have opened one
 * or two in the middle, or nearly all again, when closing has been cut short, when a table was dropped and a rebuild cut short, and when the
 * first days of some projects are kept no longer: before they are removed, half-way and after, with late events of such days, and when
 * the limit was lifted again.
 */
export async function compareReports(options: Comparison): Promise<number> {
  const { engine, stop } = await (options.open ?? openWarehouse)();
  try {
    let asked = 0;
    for (let set = 0; asked < options.queries; set += 1) {
      asked += await compareSet(engine, options, set, options.queries - asked);
    }
    return asked;
  } finally {
    await stop();
  }
}

async function openWarehouse(): Promise<TestWarehouse> {
  const host = await startTestEngine();
  const { username, password } = host.engine;
  const engine = connectAnalytics({ url: () => host.engine.url(), username, password, database: "sextant" });
  await migrateWarehouse(engine, { database: "sextant" });
  return {
    engine,
    async stop() {
      await engine.close();
      await host.stop();
    },
  };
}

/** What is done to a set of events before it is asked about again. */
interface State {
  name: string;
  add?: readonly OracleEvent[];
  /** They come in time, on days that run: none was received before the last build. */
  isFresh?: true;
  act?: () => Promise<unknown>;
  /** Of projects that keep their events for a while, from here on. */
  limits?: readonly ProjectLimit[];
  /** Days that are not kept are gone, from here on. */
  isCut?: true;
}

async function compareSet(engine: AnalyticsEngine, options: Comparison, set: number, wanted: number): Promise<number> {
  const seed = options.seed + set;
  const random = createRandom(seed);
  const projects = ["a", "b", "c"].map((name) => `${name}-${set}`);
  const limits = projects.slice(0, 2).map((projectId, i) => ({ projectId, days: 2 + i }));
  const days = DAYS.slice(0, options.days);
  const generated = generateEvents(random, { projects, days, count: options.eventsPerSet ?? 400 });
  const all = options.open ? generated : withoutRevived(generated, limits);
  await addTies(engine, all);
  const states = listStates(engine, { all, days, set, limits, random });
  // On a cluster tables are dropped and rows removed by statements of its own, which the engine of the tests has not.
  if (!options.open) states.push(...listRemovals(engine, { all, days, limits, random }));
  let stored: OracleEvent[] = [];
  let kept: readonly ProjectLimit[] = [];
  let asked = 0;
  // One for all states: a report begins with what the last one saw of the days, which is often another state.
  const run = createRunReport({ engine, clock, turns: createTurns({ running: 10, waiting: 1, waitMs: 1 }) });
  for (const state of states) {
    if (asked >= wanted) break;
    await store(engine, state.add ?? [], state.isFresh);
    stored.push(...(state.add ?? []));
    await state.act?.();
    await delay(LOOK_AGAIN_MS);
    const before = asked;
    kept = state.limits ?? kept;
    const shown = firstCopies(stored).filter((event) => isKept(event, kept));
    if (state.isCut) stored = shown;
    const always = state.isFresh ? plainQueries(projects, days) : [];
    const count = Math.max(options.queriesPerState ?? 16, always.length);
    for (let i = 0; i < count && asked < wanted; i += 1) {
      const query = always[i] ?? generateQuery(random, { projects, days, events: all });
      await compareOne(run, { events: shown, limits: kept }, query, `seed ${seed}, ${state.name}, query ${asked}`);
      asked += 1;
    }
    options.onState?.(asked - before);
  }
  return asked;
}

/** What a dashboard asks. Running days with something new are the state it mostly meets, and the statements are long there. */
function plainQueries(projects: string[], days: readonly string[]): OracleQuery[] {
  const common = { projects, filters: [], limit: 1000, offset: 0, from: days[0] ?? "", to: days.at(-1) ?? "" };
  return [
    { ...common, report: "top_sources" },
    { ...common, report: "top_chains" },
    { ...common, report: "revenue_by_metric", metric_column: "referrer" },
  ];
}

interface EventSet {
  all: readonly OracleEvent[];
  days: readonly string[];
  limits: readonly ProjectLimit[];
  random: ReturnType<typeof createRandom>;
}

/** The first two thirds and a bit of the events; the rest is for later. */
function listStates(engine: AnalyticsEngine, { set, ...given }: EventSet & { set: number }): State[] {
  const { all, days, random } = given;
  const third = Math.floor(all.length / 3);
  const few = new Set([days[set % days.length], days[(set * 3 + 1) % days.length]]);
  const isOfFew = ({ timestamp }: OracleEvent) => few.has(dayOf(timestamp));
  const [first, middle] = [all.slice(0, third), all.slice(third, 2 * third)];
  const close = () => closeDueDays(engine, { settleS: 0 });
  const build = (receivedUntilMs: number) => () =>
    buildRunningDays(engine, { settleS: 0, runningS: 1e9, receivedUntilMs, leastEvents: 0 });
  const receipts = all.map(({ received_at }) => received_at).sort((a, b) => a - b);
  const [cut = 0, laterCut = 0] = [0.2, 0.6].map((share) => receipts[Math.floor(share * all.length)]);
  const fresh = [
    ...middle.filter(({ received_at }) => received_at > cut),
    ...repeatSome({ ...given, all: first }, cut),
  ];
  const late = middle.filter(({ received_at }) => received_at <= cut);
  const last = all.slice(2 * third, -LATE_EVENTS);
  const fresher = last.filter(({ received_at }) => received_at > laterCut);
  return [
    { name: "open", add: first },
    { name: "running", act: build(cut) },
    { name: "running on", add: fresh, isFresh: true },
    { name: "running, some of it late", add: late.filter(isOfFew) },
    {
      name: "running, from several cuts",
      act: () => buildSomeDays(engine, { set, random, receivedUntilMs: laterCut }),
    },
    {
      name: "running on from several cuts",
      add: [...fresher, ...repeatSome({ ...given, all: first }, laterCut)],
      isFresh: true,
    },
    { name: "closed", act: close },
    { name: "reopened", add: late.filter((event) => !isOfFew(event)) },
    {
      name: "closed in part",
      add: last.filter((event) => !fresher.includes(event)),
      act: () => closeSomeDays(engine, 1 + (set % 4)),
    },
    { name: "closed again", act: close },
    { name: "moved", add: moveSome(given) },
  ];
}

/** Events that come when days have been removed. */
const LATE_EVENTS = 40;

function listRemovals(engine: AnalyticsEngine, { all, limits, random }: EventSet): State[] {
  const remove = (through: Pick<AnalyticsEngine, "selectJson" | "command"> = engine) =>
    removeExpiredEvents(through, limits, { nowMs: NOW_MS + REMOVED_AFTER_MS, settleS: -1e9 });
  const close = () => closeDueDays(engine, { settleS: 0 });
  const statement = 1 + random.int(5);
  return [
    { name: "rebuilt in part", act: () => rebuildInPart(engine, random.pick(BUILT_TABLES)) },
    { name: "kept for a while", act: close, limits },
    { name: "cut in part", act: () => cutShort(engine, (_, nth) => nth > statement, remove) },
    { name: "cut", act: () => remove(), isCut: true },
    { name: "late after the cut", add: all.slice(-LATE_EVENTS) },
    { name: "kept for ever again", act: close, limits: [] },
  ];
}

/** Ends some work before a statement, as a crash would. */
async function cutShort(
  engine: AnalyticsEngine,
  isLast: (sql: string, nth: number) => boolean,
  work: (through: AnalyticsEngine) => Promise<unknown>,
): Promise<void> {
  const crash = new Error("cut short");
  let nth = 0;
  const through: AnalyticsEngine = {
    ...engine,
    async command(sql, options) {
      nth += 1;
      if (isLast(sql, nth)) throw crash;
      return engine.command(sql, options);
    },
  };
  await work(through).catch((cause) => {
    if (cause !== crash) throw cause;
  });
}

/** Up to the moment when all tables are there again. */
async function rebuildInPart(engine: AnalyticsEngine, dropped: string): Promise<void> {
  await engine.command(`DROP TABLE ${dropped}`);
  await cutShort(
    engine,
    (sql) => sql === FIND_DAYS,
    (through) => rebuildDerived(through, { database: "sextant" }),
  );
}

/**
 * A few messages of which a copy comes that was received earlier, and is of another day: the message counts there, and no more on a day
 * that nobody has named.
 */
function moveSome({ all, days, limits, random }: EventSet): OracleEvent[] {
  const copies = Map.groupBy(all, keyOf);
  const to = Date.parse(random.pick(days));
  return all
    .slice(0, -LATE_EVENTS)
    .filter((event) => copies.get(keyOf(event))?.length === 1 && dayOf(event.timestamp) !== dayOf(to))
    .map((event) => ({
      ...event,
      timestamp: to + 5 * 3_600_000 + random.int(3_600_000),
      received_at: event.received_at - 1,
    }))
    .filter((moved) => {
      const [from] = copies.get(keyOf(moved)) ?? [];
      return from !== undefined && isKept(from, limits) === isKept(moved, limits);
    })
    .slice(0, 12);
}

/** Later copies of messages that are in builds by then: as they were, of another visitor, or of another day. None of them counts. */
function repeatSome({ all: events, days, limits, random }: EventSet, cut: number): OracleEvent[] {
  const changes = [
    (event: OracleEvent) => event,
    (event: OracleEvent) => ({ ...event, anonymous_id: `other ${event.anonymous_id}`, session_id: "" }),
    (event: OracleEvent) => ({ ...event, timestamp: Date.parse(random.pick(days)) + random.int(DAY_MS) }),
    (event: OracleEvent) => ({ ...event, timestamp: Date.parse(event.day) + random.int(DAY_MS) }),
  ];
  return events
    .filter(({ received_at, day }) => received_at <= cut && days.includes(day))
    .map((event) => ({ ...random.pick(changes)(event), received_at: cut + 1 + random.int(DAY_MS) }))
    .filter((copy) =>
      events.every((event) => keyOf(event) !== keyOf(copy) || isKept(event, limits) === isKept(copy, limits)),
    )
    .slice(0, 60);
}

/**
 * Where the copy that counts is removed and a later one is not, that one becomes an event when its day is read again. No definition says
 * when that is, so of such messages there is one copy.
 */
function withoutRevived(events: readonly OracleEvent[], limits: readonly ProjectLimit[]): OracleEvent[] {
  const copies = Map.groupBy(events, keyOf);
  const first = new Set(firstCopies(events));
  return events.filter((event) => {
    const ofMessage = copies.get(keyOf(event)) ?? [];
    return first.has(event) || ofMessage.every((one) => isKept(one, limits) === isKept(event, limits));
  });
}

const dayOf = (timestamp: number) => new Date(timestamp).toISOString().slice(0, 10);
const keyOf = ({ project_id, day, message_id }: OracleEvent) => JSON.stringify([project_id, day, message_id]);

/** One of each message, the one that counts: a message goes with the day that it counted on. */
function firstCopies(events: readonly OracleEvent[]): OracleEvent[] {
  const first = new Map<string, OracleEvent>();
  for (const event of events) {
    const known = first.get(keyOf(event));
    if (known === undefined || event.received_at < known.received_at) first.set(keyOf(event), event);
  }
  return [...first.values()];
}

/** A project keeps today and as many whole days before it. */
function isKept({ project_id, timestamp }: OracleEvent, limits: readonly ProjectLimit[]): boolean {
  const limit = limits.find(({ projectId }) => projectId === project_id);
  const today = Math.floor(NOW_MS / DAY_MS);
  return limit === undefined || Math.floor(timestamp / DAY_MS) >= today - limit.days;
}

/** The engine orders events of the same time by a hash; any fixed order will do, as long as both use the same. */
async function addTies(engine: AnalyticsEngine, events: OracleEvent[]): Promise<void> {
  const ids = [...new Set(events.map(({ message_id }) => message_id))];
  const { data } = await engine.selectJson<{ id: string; tie: string }>(
    "SELECT arrayJoin({ids:Array(String)}) AS id, leftPad(toString(bitAnd(cityHash64(id), 1048575)), 7, '0') AS tie",
    { params: { ids } },
  );
  const ties = new Map(data.map(({ id, tie }) => [id, tie]));
  for (const event of events) event.tie = ties.get(event.message_id) ?? assert.fail("an id without a hash");
}

async function store(engine: AnalyticsEngine, events: readonly OracleEvent[], isFresh?: true): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ received_at, tie: _tie, ...event }) => ({ ...event, first: LAST_MS - received_at }));
  const days = events.map(({ project_id, timestamp, day }) => ({
    project_id,
    day: dayOf(timestamp),
    key_day: day,
  }));
  // To the day book all of these days are over.
  if (isFresh)
    await engine.insert({ table: "event_days", body: toLines(days.map((day) => ({ ...day, touched_at: 0 }))) });
  else await createDayBook(engine, systemClock).open(days, LATE);
  await engine.insert({ table: "events", body: toLines(rows) });
}

const toLines = (rows: readonly object[]) => Buffer.from(rows.map((row) => JSON.stringify(row)).join("\n"));

/** As many days as the worker may have got to, or found to have new events enough. */
async function buildSomeDays(
  engine: AnalyticsEngine,
  { set, random, receivedUntilMs }: { set: number; random: ReturnType<typeof createRandom>; receivedUntilMs: number },
): Promise<void> {
  const days = await engine.selectJson<ProjectDay & { now_ms: number }>(
    `SELECT project_id, day, key_days, toUnixTimestamp64Milli(now64(3)) AS now_ms
     FROM project_days(projects = ['a-${set}', 'b-${set}', 'c-${set}'])
     WHERE (is_open OR cut > 0) AND notEmpty(key_days) ORDER BY day, project_id`,
  );
  const some = days.data.filter(() => random.int(2) === 0);
  for (const [day, projects] of Map.groupBy(some, (each) => each.day)) {
    const startedMs = projects[0]?.now_ms ?? 0;
    await buildDay(engine, { day, projects, startedMs, cut: LAST_MS - receivedUntilMs });
  }
}

async function closeSomeDays(engine: AnalyticsEngine, count: number): Promise<void> {
  const stop = new AbortController();
  let built = 0;
  const onDay = () => {
    built += 1;
    if (built >= count) stop.abort();
  };
  await closeDueDays(engine, { settleS: 0, signal: stop.signal, onDay }).catch((cause) => {
    if (!stop.signal.aborted) throw cause;
  });
}

async function compareOne(
  run: RunReport,
  { events, limits }: { events: readonly OracleEvent[]; limits: readonly ProjectLimit[] },
  query: OracleQuery,
  where: string,
): Promise<void> {
  const { filters, limit, offset, metric_column, from, to } = query;
  const scope = {
    workspaceId: "w",
    projects: query.projects.map((id) => ({
      id,
      excludeBots: query.excludeBots?.includes(id) ?? false,
      retentionDays: limits.find(({ projectId }) => projectId === id)?.days ?? null,
    })),
  };
  const raw = await run(
    query.report,
    scope,
    {
      date_from: from,
      date_to: to,
      limit,
      offset,
      ...(filters.length === 0 ? {} : { filters: JSON.stringify(filters) }),
      ...(metric_column === undefined ? {} : { metric_column }),
    },
    new AbortController().signal,
  );
  const chunks: Buffer[] = [];
  for await (const chunk of raw.body) chunks.push(chunk as Buffer);
  const given = JSON.parse(Buffer.concat(chunks).toString()) as {
    meta: { name: string; type: string }[];
    data: Record<string, unknown>[];
    rows: number;
    rows_before_limit_at_least: number;
  };
  const expected = answer(events, query);
  const about = `${where}: ${JSON.stringify(query)}`;
  assert.deepEqual(given.data, expected.rows, about);
  assert.deepEqual(
    given.meta.map(({ name }) => name),
    expected.columns,
    about,
  );
  for (const { name, type } of given.meta) assert.equal(type, TYPES[name] ?? "String", about);
  assert.equal(given.rows, expected.rows.length, about);
  assert.equal(given.rows_before_limit_at_least, expected.rowsBeforeLimit, about);
}
