import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type Database, openDatabase } from "../../src/engines/duckdb/database.ts";
import { importRows } from "../../src/engines/duckdb/import-rows.ts";
import { DEFAULT_LIMITS } from "../../src/engines/duckdb/limits.ts";
import { listDirty, materialize } from "../../src/engines/duckdb/materialize.ts";
import { migrate } from "../../src/engines/duckdb/migrate.ts";
import { PROFILE_TABLES } from "../../src/engines/duckdb/profiles.ts";
import { EngineBusy } from "../../src/engines/failures.ts";
import type { DuePartition } from "../../src/engines/maintenance.ts";
import { IS_LONG, ONLY_LONG, SEED } from "../../src/lib/testing.ts";
import { DAY_MS, dayOf } from "../../src/lib/time.ts";
import { createRandom, generateEvents } from "../query/generate.ts";
import { toRow } from "../query/store-rows.ts";

const FIRST_MS = Date.parse("2026-03-01T00:00:00Z");
const PROJECTS = ["p", "q", "r"];
const WITHOUT_BOTS = ["q"];
/** Late events of these days are no longer expected. */
const LATER_MS = FIRST_MS + 40 * DAY_MS;
const random = createRandom(SEED);
const { signal } = new AbortController();

/** A partition by itself takes 0.4 s of processor. */
const DAYS = IS_LONG ? 6 : 4;

/** Days with a gap; each project lacks another one, and visitors come again. */
function makeHistory() {
  const all = Array.from({ length: DAYS }, (_, nth) => dayOf(FIRST_MS + nth * DAY_MS));
  const gap = random.pick(all.slice(1, -1));
  const days = all.filter((day) => day !== gap);
  const lacks = new Map(PROJECTS.map((project) => [project, random.pick(days)]));
  const events = generateEvents(random, { projects: PROJECTS, days, count: 400, poolSize: 8 });
  return events.filter(({ project_id, timestamp }) => lacks.get(project_id) !== dayOf(timestamp));
}

const MEASURES = "hits sessions visitors revenue volume bounces active_ms transactions events".split(" ");
const ROLLUPS = `SELECT project_id, day, dimension, value, seen_before,
  ${MEASURES.map((name) => `toString(sum(${name})) AS ${name}`).join(", ")}
FROM rollups GROUP BY project_id, day, dimension, value, seen_before ORDER BY ALL`;

async function withHistory(run: (database: Database, reopen: () => Promise<Database>) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "groups-"));
  const path = join(dir, "w.duckdb");
  let database = await openDatabase(path, DEFAULT_LIMITS);
  const reopen = async () => {
    await database.close();
    database = await openDatabase(path, DEFAULT_LIMITS);
    return database;
  };
  try {
    await migrate(database);
    await importRows(database, "events", makeHistory().map(toRow), FIRST_MS);
    await run(database, reopen);
  } finally {
    await database.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

const list = (database: Database) => listDirty(database, LATER_MS, WITHOUT_BOTS);
const readRollups = async (database: Database) => (await database.select<{ project_id: string }>(ROLLUPS)).rows;
const nameOf = ({ project_id, day }: { project_id: string; day: string }) => `${project_id} ${day}`;
const inOrder = (partitions: readonly DuePartition[]) => partitions.toSorted((a, b) => (a.day < b.day ? -1 : 1));

/** Each partition by itself, in the order of days. */
async function rollUpOneByOne(database: Database): Promise<readonly unknown[]> {
  await database.write((connection) => connection.run("DELETE FROM rollups; DELETE FROM rollup_state"));
  for (const partition of inOrder(await list(database)))
    assert.deepEqual((await materialize(database, [partition], signal)).map(nameOf), [nameOf(partition)]);
  return readRollups(database);
}

/** Calls `between` once, after the first transaction that `isIt`. */
function interrupting(
  database: Database,
  isIt: (writes: number) => boolean | Promise<boolean>,
  between: () => Promise<void>,
): Database {
  let writes = 0;
  let isOver = false;
  return {
    ...database,
    async write(work) {
      const done = await database.write(work);
      writes += 1;
      if (!isOver && (await isIt(writes))) {
        isOver = true;
        await between();
      }
      return done;
    },
  };
}

/** What partitions are materialized into. */
const FORGET = ["rollups", "rollup_state", ...PROFILE_TABLES].map((table) => `DELETE FROM ${table}`).join("; ");

describe("the rollups of a group of partitions", () => {
  test("are those of its partitions one by one, however many a group has", () =>
    withHistory(async (database) => {
      const expected = await rollUpOneByOne(database);
      assert.ok(expected.length > 80 * DAYS, `${expected.length} rows`);
      const groups = new Set<number>();
      const sizes = IS_LONG ? [25, 60, 10_000] : [25, 10_000];
      for (const most of sizes) {
        await database.write((connection) => connection.run(FORGET));
        const due = await list(database);
        let writes = 0;
        const counting: Database = {
          ...database,
          write(work) {
            writes += 1;
            return database.write(work);
          },
        };
        const clean = await materialize(counting, due, signal, most);
        assert.deepEqual(clean.map(nameOf).toSorted(), due.map(nameOf).toSorted());
        assert.deepEqual(await list(database), []);
        assert.deepEqual(await readRollups(database), expected, `groups of ${most} sessions`);
        groups.add(writes);
        // One finds out what is ready, and one adds the rows.
        if (most === 10_000) assert.equal(writes, 2);
      }
      assert.equal(groups.size, sizes.length, "each size makes other groups");
    }));

  test("are right where some of its projects are clean in part", { skip: ONLY_LONG }, () =>
    withHistory(async (database) => {
      const due = await list(database);
      const begun = due.filter(({ project_id }) => project_id === "p").slice(0, 2);
      assert.equal((await materialize(database, begun, signal)).length, begun.length);
      assert.equal((await materialize(database, due, signal)).length, due.length - begun.length);
      const found = await readRollups(database);
      assert.deepEqual(found, await rollUpOneByOne(database));
    }),
  );

  test("are there although the engine has no time to sort them", () =>
    withHistory(async (database) => {
      const due = (await list(database)).slice(0, 1);
      const busy: Database = {
        ...database,
        async select(sql, options) {
          if (/ AS places\b/.test(sql)) throw new EngineBusy("the query took longer than 30 s");
          return database.select(sql, options);
        },
      };
      assert.equal((await materialize(busy, due, signal)).length, due.length);
    }));

  test("leave a project out before whose partitions another one is dirty", { skip: ONLY_LONG }, () =>
    withHistory(async (database) => {
      const due = await list(database);
      const first = due.find(({ project_id }) => project_id === "q");
      const clean = await materialize(
        database,
        due.filter((partition) => partition !== first),
        signal,
      );
      assert.deepEqual(
        clean.map(nameOf).toSorted(),
        due
          .map(nameOf)
          .filter((name) => !name.startsWith("q"))
          .toSorted(),
      );
      assert.deepEqual(
        (await list(database)).map(nameOf),
        due.map(nameOf).filter((name) => name.startsWith("q")),
      );
    }),
  );

  test("are made again after a late event between two groups, and are exact then", () =>
    withHistory(async (database) => {
      const due = await list(database);
      const day = due[0]?.day ?? "";
      const late = generateEvents(random, { projects: PROJECTS, days: [day], count: 30 }).map((event, nth) =>
        toRow({ ...event, message_id: `late ${nth}` }),
      );
      const beside = interrupting(
        database,
        (writes) => writes === 2,
        async () => {
          await importRows(database, "events", late, FIRST_MS + 20 * DAY_MS);
        },
      );
      const clean = await materialize(beside, due, signal, 25);
      assert.ok(clean.length < due.length, "the project with the late event waits");
      assert.equal((await materialize(database, await list(database), signal, 60)).length > 0, true);
      assert.deepEqual(await list(database), []);
      const found = await readRollups(database);
      assert.deepEqual(found, await rollUpOneByOne(database));
    }));

  test("are not added of a project whose late event has come since, in the same millisecond as others", () =>
    withHistory(async (database) => {
      const due = await list(database);
      const [{ project_id, day } = assert.fail()] = due;
      const [late = assert.fail()] = generateEvents(random, { projects: [project_id], days: [day], count: 30 });
      let reads = 0;
      const beside: Database = {
        ...database,
        async aside(work, ...rest) {
          const done = await database.aside(work, ...rest);
          reads += 1;
          if (reads === 5) await importRows(database, "events", [toRow({ ...late, message_id: "late" })], FIRST_MS);
          return done;
        },
      };
      const others = due.filter((one) => one.project_id !== project_id);
      assert.deepEqual((await materialize(beside, due, signal)).map(nameOf).toSorted(), others.map(nameOf).toSorted());
      const added = new Set((await readRollups(database)).map((row) => row.project_id));
      assert.deepEqual(
        [...added].toSorted(),
        PROJECTS.filter((project) => project !== project_id),
      );
      assert.equal((await materialize(database, await list(database), signal)).length, due.length - others.length);
      const found = await readRollups(database);
      assert.deepEqual(found, await rollUpOneByOne(database));
    }));

  test("go on after a stop between two groups, where it stopped", { skip: ONLY_LONG }, () =>
    withHistory(async (database, reopen) => {
      const due = await list(database);
      const stopping = new AbortController();
      const stopped = interrupting(
        database,
        // A group of one large partition has a transaction for each of its slices.
        async () => (await list(database)).length < due.length,
        async () => stopping.abort(new Error("stopping")),
      );
      await assert.rejects(materialize(stopped, due, stopping.signal, 25), /stopping/);
      const again = await reopen();
      const left = await list(again);
      assert.ok(left.length > 0 && left.length < due.length, `${left.length} of ${due.length} are left`);
      assert.deepEqual(left.map(nameOf).toSorted(), due.map(nameOf).slice(-left.length).toSorted());
      assert.equal((await materialize(again, left, signal, 60)).length, left.length);
      const found = await readRollups(again);
      assert.deepEqual(found, await rollUpOneByOne(again));
    }),
  );
});
