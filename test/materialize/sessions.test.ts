import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SEED } from "../../src/lib/testing.ts";
import { sessionsSql } from "../../src/materialize/sessions.ts";
import { createRandom, generateEvents } from "../query/generate.ts";
import type { OracleEvent } from "../query/oracle.ts";
import { createEventStore, toRow } from "../query/store-rows.ts";
import { startLocalEngine } from "../support/local-engine.ts";

const DAYS = ["2026-03-01", "2026-03-02"];
const PROJECTS = ["p", "q"];
const ENGAGED = ["connect", "transaction", "track", "decoded_log"];

/** The columns of `sessions` except the first touch, which test/query covers. */
interface SessionRow {
  project_id: string;
  day: string;
  is_first: boolean;
  started_ms: number;
  ended_ms: number;
  hits: number;
  events: number;
  active_ms: number;
  is_bounce: boolean;
  entry_page: string;
  exit_page: string;
  address: string;
  chains: string;
  revenue: number;
  volume: number;
  points: number;
}

const COLUMNS = `project_id, day, is_first, epoch_ms(started_at) AS started_ms, epoch_ms(ended_at) AS ended_ms, hits, events, active_ms, is_bounce,
  entry_page, exit_page, address, array_to_string(list_sort(chains), ' ') AS chains, CAST(revenue AS DOUBLE) AS revenue,
  CAST(volume AS DOUBLE) AS volume, CAST(points AS DOUBLE) AS points`;

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const visitorOf = (event: OracleEvent) => event.anonymous_id || event.user_id || event.address;
const sum = (events: readonly OracleEvent[], column: "revenue" | "volume" | "points") =>
  events.reduce((total, event) => total + Math.round(event[column] * 1e9), 0);

/** The same with plain loops: rows without `is_first`, which depends on hashes. */
function expectedRows(events: readonly OracleEvent[]): Omit<SessionRow, "is_first">[] {
  const sessions = Map.groupBy(events, (event) =>
    JSON.stringify([event.project_id, dayOf(event.timestamp), event.session_id || `visitor ${visitorOf(event)}`]),
  );
  return [...sessions.values()].flatMap((all) => {
    const sorted = all.toSorted((a, b) => a.timestamp - b.timestamp);
    const [first, last] = [sorted[0], sorted.at(-1)];
    assert.ok(first && last);
    const pages = sorted.filter(({ type }) => type === "page");
    const isEngaged = sorted.some(({ type }) => ENGAGED.includes(type));
    const gaps = sorted.slice(1).map((event, at) => event.timestamp - (sorted[at]?.timestamp ?? 0));
    const activeMs = gaps.filter((gap) => gap <= 1_800_000).reduce((total, gap) => total + gap, 0);
    return [...Map.groupBy(all, visitorOf).values()].map((own) => ({
      project_id: first.project_id,
      day: dayOf(first.timestamp),
      started_ms: first.timestamp,
      ended_ms: last.timestamp,
      hits: own.filter(({ type }) => type === "page").length,
      events: own.length,
      active_ms: activeMs,
      is_bounce: pages.length <= 1 && !isEngaged && activeMs < 10_000,
      entry_page: pages[0]?.pathname ?? "",
      exit_page: pages.at(-1)?.pathname ?? "",
      address: sorted.find(({ address }) => address !== "")?.address ?? "",
      chains: [...new Set(own.map(({ chain_id }) => chain_id))].filter(Boolean).sort().join(" "),
      revenue: sum(own, "revenue"),
      volume: sum(own, "volume"),
      points: sum(own, "points"),
    }));
  });
}

/** One copy of each message and no equal times, because the engine decides the order of equal times. */
function generate(count: number): OracleEvent[] {
  const random = createRandom(SEED);
  const found = new Map<string, OracleEvent>();
  for (const event of generateEvents(random, { projects: PROJECTS, days: DAYS, count })) {
    const start = Date.parse(dayOf(event.timestamp));
    const timestamp = start + found.size + (random.chance(0.5) ? 12 * 3_600_000 : random.int(20 * 3_600_000));
    found.set(`${timestamp}`, { ...event, timestamp, message_id: `${found.size}`, chain_id: event.chain_id.trim() });
  }
  return [...found.values()];
}

const byText = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();

describe("sessions", () => {
  test("equal those of the definition, in whatever order their events arrive", async () => {
    const { engine, stop } = await startLocalEngine({ nowMs: () => Date.parse("2026-03-05T00:00:00Z") });
    try {
      const events = generate(900);
      const store = await createEventStore(engine, "n");
      for (let from = 0; from < events.length; from += 61) await store(events.slice(from, from + 61).map(toRow));
      const { rows } = await engine.select<SessionRow>(`SELECT ${COLUMNS} FROM sessions`);
      const whole = await engine.select<SessionRow>(
        `SELECT ${COLUMNS} FROM (${sessionsSql({ events: "events" })}) AS made`,
      );
      assert.deepEqual(byText(rows), byText(whole.rows), "merged batch by batch or made at once");
      const shown = rows.map(({ is_first: _isFirst, ...row }) => row);
      assert.deepEqual(byText(shown), byText(expectedRows(events)));
      const firsts = await engine.select<{ n: number }>(
        "SELECT count(*) AS n FROM (SELECT sum(if(is_first, 1, 0)) AS firsts FROM sessions GROUP BY project_id, day, session) WHERE firsts != 1",
      );
      assert.deepEqual(firsts.rows, [{ n: 0 }]);
    } finally {
      await stop();
    }
  });
});
