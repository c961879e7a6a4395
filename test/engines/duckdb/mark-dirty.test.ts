import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DAY_MS, dayOf } from "../../../src/lib/time.ts";
import { sampleEvent } from "../../support/events.ts";
import { createTestWriter, startLocalEngine, type TestLocalEngine } from "../../support/local-engine.ts";

const NOON = Date.UTC(2026, 10, 15, 12);
const { signal } = new AbortController();

describe("clean partitions of DuckDB", () => {
  let local: TestLocalEngine;
  let nowMs = NOON;
  before(async () => {
    local = await startLocalEngine({ nowMs: () => nowMs });
  });
  after(() => local.stop());

  const eventOf = (id: string, daysAgo: number) => {
    const time = new Date(NOON - daysAgo * DAY_MS).toISOString();
    return sampleEvent(id, { channel: "server", original_timestamp: time, sent_at: time });
  };
  /** The last clean day, and the days with rollups. */
  const stateOf = async (project: string) => {
    const { rows } = await local.engine.select<{ clean_through: string }>(
      `SELECT clean_through FROM rollup_state WHERE project_id = '${project}'`,
    );
    const days = await local.engine.select<{ day: string }>(
      `SELECT DISTINCT day FROM rollups WHERE project_id = '${project}' ORDER BY day`,
    );
    return { cleanThrough: rows[0]?.clean_through, rollups: days.rows.map(({ day }) => day) };
  };
  const ago = (days: number) => dayOf(NOON - days * DAY_MS);

  async function fill(project: string) {
    nowMs = NOON;
    const write = await createTestWriter(local.engine, project);
    await write(
      project,
      [4, 3, 2, 1, 0].map((days) => eventOf(`${project}-${days}`, days)),
      nowMs,
    );
    const { maintenance } = local.engine;
    const due = await maintenance.listDirty(NOON + 3_600_000, []);
    await maintenance.materialize(
      due.filter(({ project_id }) => project_id === project),
      signal,
    );
    assert.deepEqual(await stateOf(project), { cleanThrough: ago(1), rollups: [4, 3, 2, 1].map(ago) });
    return write;
  }

  test("stay clean after an event of today", async () => {
    const write = await fill("today");
    await write("today", [eventOf("today-again", 0)], nowMs);
    assert.deepEqual(await stateOf("today"), { cleanThrough: ago(1), rollups: [4, 3, 2, 1].map(ago) });
  });

  test("become dirty from the day of a late event on; earlier ones and other projects stay clean", async () => {
    await fill("neighbour");
    const write = await fill("late");
    await write("late", [eventOf("late-again", 3)], nowMs);
    assert.deepEqual(await stateOf("late"), { cleanThrough: ago(4), rollups: [ago(4)] });
    assert.deepEqual(await stateOf("neighbour"), { cleanThrough: ago(1), rollups: [4, 3, 2, 1].map(ago) });
  });

  test("stay clean after a copy of a stored event", async () => {
    const write = await fill("copy");
    await write("copy", [eventOf("copy-3", 3)], nowMs);
    assert.deepEqual(await stateOf("copy"), { cleanThrough: ago(1), rollups: [4, 3, 2, 1].map(ago) });
  });

  test("become dirty with an event of their day, also when a clock set back makes that day today", async () => {
    const write = await fill("clock");
    nowMs = NOON - 2 * DAY_MS;
    await write("clock", [eventOf("clock-again", 1)], nowMs);
    assert.deepEqual(await stateOf("clock"), { cleanThrough: ago(2), rollups: [4, 3, 2].map(ago) });
  });
});
