import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createRelations } from "../../src/engines/duckdb/relations.ts";
import { withParts } from "../../src/lib/sql.ts";
import { SEED } from "../../src/lib/testing.ts";
import { sessionsInTwoReads, sessionsSql } from "../../src/materialize/sessions.ts";
import { addTies } from "../query/compare.ts";
import { compareDerived } from "../query/derived.ts";
import { createRandom, generateEvents } from "../query/generate.ts";
import type { OracleEvent } from "../query/oracle.ts";
import { createEventStore, toRow } from "../query/store-rows.ts";
import { BLANK_ROW } from "../support/blank-row.ts";
import { ENGINES } from "../support/both-engines.ts";
import { startLocalEngine, type TestLocalEngine } from "../support/local-engine.ts";
import { materializeAll } from "../support/visits.ts";

const DAYS = ["2026-03-01", "2026-03-02"];
const PROJECTS = ["p", "q"];
const NOON_MS = Date.parse("2026-03-01T12:00:00Z");

interface Case {
  readonly name: string;
  /** Milliseconds after noon. */
  readonly batches: readonly (readonly number[])[];
  readonly active_ms: number;
  readonly is_bounce: boolean;
}

const CASES: readonly Case[] = [
  { name: "a single event", batches: [[0]], active_ms: 0, is_bounce: true },
  { name: "events of one time", batches: [[5, 5], [5]], active_ms: 0, is_bounce: true },
  { name: "less than ten seconds", batches: [[0], [9_999]], active_ms: 9_999, is_bounce: true },
  { name: "ten seconds", batches: [[0], [10_000]], active_ms: 10_000, is_bounce: false },
  { name: "a gap that counts", batches: [[0, 1_800_000]], active_ms: 1_800_000, is_bounce: false },
  { name: "a gap that is too long", batches: [[0, 1_800_001]], active_ms: 0, is_bounce: true },
  { name: "such a gap between two batches", batches: [[0], [1_800_001]], active_ms: 0, is_bounce: true },
  { name: "many events after a gap", batches: [[0, ...Array(50).fill(5_000_000)]], active_ms: 0, is_bounce: true },
  { name: "three runs", batches: [[0, 7, 5_000_000, 5_000_004, 9_000_000]], active_ms: 11, is_bounce: true },
  { name: "runs of batches", batches: [[5_000_000, 5_000_004], [9_000_000], [0, 7]], active_ms: 11, is_bounce: true },
  { name: "a late event in a gap", batches: [[0], [2_000_000], [1_000_000]], active_ms: 2_000_000, is_bounce: false },
  {
    name: "in another gap",
    batches: [[0, 5_000_000], [7_000_000], [6_000_000]],
    active_ms: 2_000_000,
    is_bounce: false,
  },
  { name: "a gap made shorter", batches: [[0, 4_000_000], [3_999_990]], active_ms: 10, is_bounce: true },
  { name: "a late event before the first", batches: [[5_000_000], [4_999_998], [0]], active_ms: 2, is_bounce: true },
  {
    name: "a batch that joins all runs",
    batches: [[0], [3_600_000], [7_200_000], [1_800_000, 5_400_000]],
    active_ms: 7_200_000,
    is_bounce: false,
  },
];

function toRows({ name, batches }: Case, nth: number) {
  return (batches[nth] ?? []).map((ms, at) => {
    const key = { project_id: name, dedupe_day: "2026-03-01", message_id: `${nth} ${at}`, anonymous_id: "ada" };
    const type = nth === 0 && at === 0 ? "page" : "identify";
    return { ...BLANK_ROW, ...key, type, timestamp: NOON_MS + ms };
  });
}

describe("stored sessions", () => {
  let local: TestLocalEngine;
  before(async () => {
    local = await startLocalEngine({ nowMs: () => Date.parse("2026-03-05T00:00:00Z") });
  });
  after(() => local.stop());

  test("equal those of the definition in whatever order their events arrive, and while they are outdated", async () => {
    const { engine } = local;
    const events = new Map<string, OracleEvent>();
    const store = await createEventStore(engine, "generated");
    const generated = generateEvents(createRandom(SEED), { projects: PROJECTS, days: DAYS, count: 350 });
    addTies(generated);
    const add = async (some: readonly OracleEvent[]) => {
      for (const event of some) {
        const key = JSON.stringify([event.project_id, event.day, event.message_id]);
        if (!events.has(key)) events.set(key, event);
      }
      await store(some.map(toRow));
    };
    const compare = (about: string) =>
      compareDerived(
        { select: engine.select, relations: createRelations(engine) },
        { projects: PROJECTS, events: [...events.values()], withoutBots: [], about: `seed ${SEED}, ${about}` },
      );
    for (let from = 0; from < 250; from += 50) await add(generated.slice(from, from + 50));
    await materializeAll(engine);
    await compare("clean");
    // As a migration leaves them.
    await local.run(`INSERT INTO outdated_sessions SELECT DISTINCT project_id, day FROM sessions;
      DELETE FROM sessions; DELETE FROM rollups; UPDATE rollup_state SET clean_through = DATE '1969-12-31'`);
    await compare("outdated");
    await add(generated.slice(250, 300));
    await compare("outdated, with late events");
    const { signal } = new AbortController();
    const partition = { project_id: "p", day: "2026-03-01", without_bots: false };
    assert.deepEqual(await engine.maintenance.materialize([partition], signal), [], "its sessions are incomplete");
    await engine.maintenance.rebuildOutdated(signal);
    await compare("rebuilt");
    await add(generated.slice(300));
    await materializeAll(engine);
    await compare("clean again");
  });
});

for (const { name, skip, start } of ENGINES)
  test(`sessions of ${name} last as long as their runs of events without a gap over 30 minutes`, {
    skip,
  }, async (t) => {
    const { engine, stop } = await start({ nowMs: () => Date.parse("2026-03-05T00:00:00Z") });
    t.after(stop);
    const store = await createEventStore(engine, "cases");
    for (const nth of [0, 1, 2, 3]) await store(CASES.flatMap((one) => toRows(one, nth)));
    const expected = CASES.map(({ name, active_ms, is_bounce }) => ({ name, active_ms, is_bounce }));
    const byName = (rows: readonly { name: string }[]) => rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const [firstDay, lastDay] = ["2026-03-01", "2026-03-01"];
    const scope = {
      projects: CASES.map(({ name }) => ({ id: name, firstDay, withoutBots: false })),
      firstDay,
      lastDay,
    };
    const { ctes, params } = await engine.relations.forReport(scope, new AbortController().signal);
    const computed = [
      // Only DuckDB has row ids.
      ...(name === "DuckDB"
        ? [{ name: "of_events", sql: sessionsSql({ events: "(SELECT *, rowid FROM events)" }) }]
        : []),
      { name: "of_events_in_two_reads", sql: sessionsInTwoReads("events") },
    ];
    for (const relation of ["sessions", ...computed.map(({ name }) => name)]) {
      const sql = withParts(
        [...ctes, ...computed],
        `SELECT s.project_id AS name, s.active_ms AS active_ms, s.is_bounce AS is_bounce FROM ${relation} AS s`,
      );
      const used = Object.fromEntries(Object.entries(params).filter(([name]) => sql.includes(`{${name}:`)));
      const { rows } = await engine.select<{ name: string; is_bounce: unknown }>(sql, { params: used });
      const found = rows.map((row) => ({ ...row, is_bounce: Boolean(row.is_bounce) }));
      assert.deepEqual(byName(found), byName(expected), relation);
    }
  });
