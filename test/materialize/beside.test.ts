import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { type Database, openDatabase } from "../../src/engines/duckdb/database.ts";
import { eraseWallet } from "../../src/engines/duckdb/erase.ts";
import { importRows } from "../../src/engines/duckdb/import-rows.ts";
import { DEFAULT_LIMITS } from "../../src/engines/duckdb/limits.ts";
import { listDirty, materialize } from "../../src/engines/duckdb/materialize.ts";
import { migrate } from "../../src/engines/duckdb/migrate.ts";
import { PROFILE_TABLES } from "../../src/engines/duckdb/profiles.ts";
import { rebuild } from "../../src/engines/duckdb/rebuild.ts";
import { removeBefore } from "../../src/engines/duckdb/retention.ts";
import { IS_LONG, SEED } from "../../src/lib/testing.ts";
import { DAY_MS, dayOf } from "../../src/lib/time.ts";
import { ROLLUPS } from "../../src/materialize/rollups.ts";
import { createRandom, generateEvents } from "../query/generate.ts";
import { toRow } from "../query/store-rows.ts";

const FIRST_MS = Date.parse("2026-03-01T00:00:00Z");
const DAYS = Array.from({ length: 4 }, (_, nth) => dayOf(FIRST_MS + nth * DAY_MS));
const [FIRST = "", SECOND = "", THIRD = ""] = DAYS;
const LATER_MS = FIRST_MS + 40 * DAY_MS;
const random = createRandom(SEED);
const { signal } = new AbortController();

describe("profiles that are computed beside the writer", () => {
  let dir = "";
  let database: Database;
  /** Two days are clean, and visitors of theirs come again on two that are dirty. */
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), "beside-"));
    database = await openDatabase(join(dir, "w.duckdb"), DEFAULT_LIMITS);
    await migrate(database);
    const events = generateEvents(random, { projects: ["p", "q"], days: DAYS, count: 300, poolSize: 8 });
    await importRows(database, "events", events.map(toRow), FIRST_MS);
    const due = (await list()).filter(({ day }) => day < THIRD);
    assert.equal((await materialize(database, due, signal)).length, 4);
  });
  afterEach(async () => {
    await database.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const list = () => listDirty(database, LATER_MS, []);
  const late = (day: string, id: string) =>
    importRows(
      database,
      "events",
      generateEvents(random, { projects: ["p"], days: [day], count: 3, poolSize: 8 }).map((event, nth) =>
        toRow({ ...event, message_id: `${id} ${nth}` }),
      ),
      FIRST_MS,
    );
  const removeFirst = (from: Database, sliceRows?: number, stop = signal) =>
    removeBefore(from, [{ projectId: "p", firstDay: SECOND }], stop, sliceRows);

  async function readProfiles(): Promise<readonly unknown[]> {
    const found = [];
    for (const table of PROFILE_TABLES)
      found.push((await database.select(`SELECT CAST(t AS VARCHAR) AS row FROM ${table} AS t ORDER BY 1`)).rows);
    return found;
  }

  async function materializeAll(): Promise<void> {
    for (let due = await list(); due.length > 0; due = await list())
      assert.ok((await materialize(database, due, signal)).length > 0);
  }

  /** How many reads there are beside the writer, and calls `between` after the nth. */
  async function materializeWith(nth: number, between: () => Promise<unknown>): Promise<number> {
    let reads = 0;
    const beside: Database = {
      ...database,
      async aside(work, ...rest) {
        const done = await database.aside(work, ...rest);
        reads += 1;
        if (reads === nth) await between();
        return done;
      },
    };
    await materialize(beside, await list(), signal);
    return reads;
  }

  const meanwhile: Record<string, () => Promise<unknown>> = {
    "a late event of the same millisecond": () => late(THIRD, "late"),
    "a late event of a clean day": () => late(FIRST, "late"),
    "an erased wallet": async () => {
      const sql =
        "SELECT min(address) AS address FROM events WHERE project_id = 'p' AND day = {day:Date} AND address != ''";
      const { rows } = await database.select<{ address: string }>(sql, { params: { day: THIRD } });
      const { events } = await eraseWallet(database, { projectId: "p", address: rows[0]?.address ?? "" }, FIRST_MS);
      assert.ok(events > 0);
    },
    "the removal of an old day": () => removeFirst(database),
    "a rebuild": () => rebuild(database, () => undefined, signal),
  };

  async function assertExact(): Promise<void> {
    await materializeAll();
    const found = await readProfiles();
    assert.ok(found.every((rows) => (rows as unknown[]).length > 5));
    const forget = ["rollups", "rollup_state", ...PROFILE_TABLES].map((table) => `DELETE FROM ${table}`).join("; ");
    await database.write((connection) => connection.run(forget));
    await materializeAll();
    assert.deepEqual(found, await readProfiles());
  }

  /** Those of the rollups and of their table. */
  const BEFORE = ROLLUPS.length + 1;
  const moments = [0, 1, 2, 3].map((nth) => BEFORE + nth);

  test("take as many reads as there are tables, however many projects a group has", async () => {
    const all = await materializeWith(0, async () => undefined);
    assert.equal(all, BEFORE + PROFILE_TABLES.length + 1, "the last one drops the tables");
  });

  for (const [what, happens] of Object.entries(meanwhile))
    test(`are exact after ${what} meanwhile`, async () => {
      for (const nth of IS_LONG ? moments : [random.pick(moments)]) {
        await materializeWith(nth, happens);
        await assertExact();
        // The next one is computed again, too.
        await late(THIRD, `again ${nth}`);
      }
    });

  test("are added of the other projects of a group when a late event of one comes meanwhile", async () => {
    await materializeWith(random.pick(moments), () => late(THIRD, "late"));
    assert.deepEqual([...new Set((await list()).map(({ project_id }) => project_id))], ["p"]);
    await assertExact();
  });

  test("have nothing of a day whose removal began before and ended meanwhile", async () => {
    const stopping = new AbortController();
    const stopped: Database = {
      ...database,
      write: (work) => database.write(work).finally(() => stopping.abort(new Error("stopping"))),
    };
    const events = "SELECT count(*) AS n FROM events WHERE project_id = 'p' AND day = {day:Date}";
    const count = async () =>
      (await database.select<{ n: number }>(events, { params: { day: FIRST } })).rows[0]?.n ?? 0;
    const sliceRows = Math.ceil((await count()) / 3);
    await assert.rejects(removeFirst(stopped, sliceRows, stopping.signal), /stopping/);
    assert.ok((await count()) > 0, "the rest of the day is left");
    await materializeWith(BEFORE + random.pick([2, 3]), () => removeFirst(database));
    assert.equal(await count(), 0);
    await assertExact();
  });
});
