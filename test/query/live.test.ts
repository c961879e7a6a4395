import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { IS_LONG, SEED } from "../../src/lib/testing.ts";
import { liveNumbers, readLive } from "../../src/query/live/live.ts";
import { createRunLookup } from "../../src/query/run/run-lookup.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { startClickhouseEngine } from "../support/clickhouse-engine.ts";
import { startLocalEngine } from "../support/local-engine.ts";
import { whyNoClickHouse } from "../support/platform.ts";
import { addTies } from "./compare.ts";
import { createRandom, generateEvents, generateQuery } from "./generate.ts";
import { withPeople } from "./generate-people.ts";
import { answerLive, type LiveOracleQuery } from "./live-oracle.ts";
import type { OracleEvent } from "./oracle.ts";
import { resolvePeople } from "./oracle-people.ts";
import { createEventStore, toRow } from "./store-rows.ts";

const MINUTE = 60_000;
const SETS = 3;
const QUERIES = IS_LONG ? 20 : 8;

/** Noon, and times shortly after midnight, when the window has two days. */
const TIMES = ["2026-03-05T12:00:00.000Z", "2026-03-05T00:05:30.250Z", "2026-03-05T00:29:59.999Z"];

type Random = ReturnType<typeof createRandom>;

/** Most events are within the last 40 minutes, some on the edges of the window. Each message is once in them. */
function generateRecent(random: Random, projects: string[], nowMs: number): OracleEvent[] {
  const to = Math.floor(nowMs / MINUTE) * MINUTE + MINUTE;
  const edges = [
    to,
    to - 1,
    to - 30 * MINUTE,
    to - 30 * MINUTE - 1,
    nowMs,
    nowMs - 10 * MINUTE,
    nowMs - 10 * MINUTE - 1,
  ];
  const days = ["2026-03-04", "2026-03-05"];
  const byKey = new Map<string, OracleEvent>();
  for (const event of generateEvents(random, { projects, days, count: 300, poolSize: 3 + random.int(12) })) {
    const key = JSON.stringify([event.project_id, event.day, event.message_id]);
    const recent = random.chance(0.3) ? random.pick(edges) : nowMs - random.int(40 * MINUTE);
    if (!byKey.has(key)) byKey.set(key, random.chance(0.85) ? { ...event, timestamp: recent } : event);
  }
  const events = [...byKey.values()];
  addTies(events);
  return events;
}

async function compareLive(engine: AnalyticsEngine, counts: { sets: number; queries: number }): Promise<void> {
  for (let set = 0; set < counts.sets; set += 1) {
    const random = createRandom(SEED + set);
    const nowMs = Date.parse(TIMES[set % TIMES.length] ?? "");
    const projects = ["a", "b"].map((name) => `${name}-live-${set}`);
    const events = generateRecent(random, projects, nowMs);
    const store = await createEventStore(engine, `live-${set}`);
    await store(events.map(toRow));
    const slots = createQuerySlots({ running: 1, waiting: 0, waitMs: 1 });
    const run = createRunLookup({ engine, clock: { nowMs: () => nowMs }, slots });
    for (let nth = 0; nth < counts.queries; nth += 1) {
      const made = generateQuery(random, { projects, days: ["2026-03-03", "2026-03-04", "2026-03-05"], events });
      const query: LiveOracleQuery = {
        projects: random.chance(0.7) ? projects : projects.slice(0, 1),
        excludeBots: random.chance(0.3) ? projects.slice(0, 1) : [],
        ...withPeople(random, { events }, { filters: random.chance(0.3) ? [] : made.filters }),
        nowMs,
      };
      const read = readLive({ filters: JSON.stringify(query.filters) }, nowMs);
      assert.ok(read.ok);
      const owner = {
        workspaceId: "w",
        projects: query.projects.map((id) => ({
          id,
          excludeBots: query.excludeBots.includes(id),
          retentionDays: null,
        })),
      };
      const given = await run(liveNumbers(read.value), owner, new AbortController().signal);
      const about = `seed ${SEED}, set ${set}, query ${nth}: ${JSON.stringify(query)}`;
      assert.deepEqual(given, answerLive(events, resolvePeople(events, query, nowMs)), about);
    }
  }
}

describe("the live numbers", () => {
  let local: Awaited<ReturnType<typeof startLocalEngine>>;
  before(async () => {
    local = await startLocalEngine();
  });
  after(() => local.stop());

  test(`${SETS * QUERIES} generated queries match the oracle, also shortly after midnight`, async () => {
    await compareLive(local.engine, { sets: SETS, queries: QUERIES });
  });

  test("without projects and without events all minutes are there, and empty", async () => {
    const nowMs = Date.parse("2026-03-05T12:00:00Z");
    const slots = createQuerySlots({ running: 1, waiting: 0, waitMs: 1 });
    const run = createRunLookup({ engine: local.engine, clock: { nowMs: () => nowMs }, slots });
    for (const ids of [[], ["empty"]]) {
      const projects = ids.map((id) => ({ id, excludeBots: false, retentionDays: null }));
      const given = await run(
        liveNumbers({ conditions: [], people: [] }),
        { workspaceId: "w", projects },
        AbortSignal.timeout(9_000),
      );
      assert.deepEqual(given, answerLive([], { projects: ids, excludeBots: [], filters: [], nowMs }));
    }
  });
});

test("the live numbers of ClickHouse match the oracle", { skip: whyNoClickHouse() ?? false }, async () => {
  const { engine, stop } = await startClickhouseEngine();
  try {
    await compareLive(engine, { sets: 1, queries: IS_LONG ? 3 : 1 });
  } finally {
    await stop();
  }
});
