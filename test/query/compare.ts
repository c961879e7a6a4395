import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { type AnalyticsEngine, connectAnalytics } from "../../src/engines/analytics.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { DAY_MS } from "../../src/lib/time.ts";
import { createRunReport, type RunReport } from "../../src/query/run.ts";
import { createTurns } from "../../src/query/turns.ts";
import { closeDueDays } from "../../src/warehouse/close-days.ts";
import { createDayBook } from "../../src/warehouse/day-book.ts";
import { migrateWarehouse } from "../../src/warehouse/migrate.ts";
import { type ProjectLimit, removeExpiredEvents } from "../../src/warehouse/retention.ts";
import { startTestEngine } from "../support/engine.ts";
import { createRandom, generateEvents, generateQuery } from "./generate.ts";
import { answer, type OracleEvent, type OracleQuery } from "./oracle.ts";

const LAST_MS = Number.MAX_SAFE_INTEGER;
const DAYS = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05", "2026-03-06"];

/** Reports share what they see of the days for a quarter of a second. */
const LOOK_AGAIN_MS = 300;

const CUT_AT_MS = Date.parse("2026-03-05T00:00:00Z");

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
  /** Where the warehouse is; its schema is there already. Default: an engine of its own. */
  open?: () => Promise<TestWarehouse>;
  /** Hears how many questions each state of the days was asked. */
  onState?: (asked: number) => void;
}

/**
 * Asks the product and the oracle the same generated questions about the same generated events, and demands the same answer to the
 * last row. Each set of events is asked about while all of its days are open, when they are closed, when late events have opened one
 * or two in the middle, or nearly all again, when closing has been cut short,
 * and when the first days of some projects have been removed.
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

async function compareSet(engine: AnalyticsEngine, options: Comparison, set: number, wanted: number): Promise<number> {
  const seed = options.seed + set;
  const random = createRandom(seed);
  const projects = ["a", "b", "c"].map((name) => `${name}-${set}`);
  const all = generateEvents(random, { projects, days: DAYS, count: options.eventsPerSet ?? 400 });
  await addTies(engine, all);
  const third = Math.floor(all.length / 3);
  const few = new Set([DAYS[set % DAYS.length], DAYS[(set * 3 + 1) % DAYS.length]]);
  const isOfFew = ({ timestamp }: OracleEvent) => few.has(new Date(timestamp).toISOString().slice(0, 10));
  const middle = all.slice(third, 2 * third);
  const states: [name: string, add: OracleEvent[], after: () => Promise<unknown>][] = [
    ["open", all.slice(0, third), async () => undefined],
    ["closed", [], () => closeDueDays(engine, { settleS: 0 })],
    ["reopened in the middle", middle.filter(isOfFew), async () => undefined],
    ["reopened", middle.filter((event) => !isOfFew(event)), async () => undefined],
    ["closed in part", all.slice(2 * third), () => closeSomeDays(engine, 1 + (set % 4))],
    ["closed again", [], () => closeDueDays(engine, { settleS: 0 })],
  ];
  const limits = projects.slice(0, 2).map((projectId, i) => ({ projectId, days: 2 + i }));
  // On a cluster rows are removed by statements for its own tables, which the engine of the tests has not.
  if (!options.open)
    states.push(["cut", [], () => removeExpiredEvents(engine, limits, { nowMs: CUT_AT_MS, settleS: -1e9 })]);
  let stored: OracleEvent[] = [];
  let asked = 0;
  // One for all states: a report begins with what the last one saw of the days, which is often another state.
  const run = createRunReport({
    engine,
    clock: systemClock,
    turns: createTurns({ running: 10, waiting: 1, waitMs: 1 }),
  });
  for (const [state, events, then] of states) {
    await store(engine, events);
    stored.push(...events);
    await then();
    await delay(LOOK_AGAIN_MS);
    const before = asked;
    if (state === "cut") stored = firstCopies(stored).filter((event) => isKept(event, limits));
    for (let i = 0; i < (options.queriesPerState ?? 45) && asked < wanted; i += 1) {
      const query = generateQuery(random, { projects, days: DAYS, events: all });
      await compareOne(run, stored, query, `seed ${seed}, ${state}, query ${asked}`);
      asked += 1;
    }
    options.onState?.(asked - before);
  }
  return asked;
}

/** One of each message, the one that counts: a message goes with the day that it counted on. */
function firstCopies(events: readonly OracleEvent[]): OracleEvent[] {
  const first = new Map<string, OracleEvent>();
  for (const event of events) {
    const key = JSON.stringify([event.project_id, event.day, event.message_id]);
    const known = first.get(key);
    if (known === undefined || event.received_at < known.received_at) first.set(key, event);
  }
  return [...first.values()];
}

function isKept({ project_id, timestamp }: OracleEvent, limits: readonly ProjectLimit[]): boolean {
  const limit = limits.find(({ projectId }) => projectId === project_id);
  return limit === undefined || timestamp >= CUT_AT_MS - limit.days * DAY_MS;
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

async function store(engine: AnalyticsEngine, events: readonly OracleEvent[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ received_at, tie: _tie, ...event }) => ({ ...event, first: LAST_MS - received_at }));
  const days = events.map(({ project_id, timestamp, day }) => ({
    project_id,
    day: new Date(timestamp).toISOString().slice(0, 10),
    key_day: day,
  }));
  await createDayBook(engine, systemClock).open(days);
  await engine.insert({ table: "events", body: Buffer.from(rows.map((row) => JSON.stringify(row)).join("\n")) });
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
  events: readonly OracleEvent[],
  query: OracleQuery,
  where: string,
): Promise<void> {
  const { filters, limit, offset, metric_column, from, to } = query;
  const scope = {
    workspaceId: "w",
    projects: query.projects.map((id) => ({ id, excludeBots: query.excludeBots?.includes(id) ?? false })),
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
