import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SEED } from "../../../src/lib/testing.ts";
import { DAY_MS } from "../../../src/lib/time.ts";
import { askProfiles, type ProfileEngine } from "../../../src/query/profiles/ask-profiles.ts";
import { type ProfileRow, selectProfiles } from "../../../src/query/profiles/select-profiles.ts";
import { createRandom, generateEvents } from "../../query/generate.ts";
import type { OracleEvent } from "../../query/oracle.ts";
import { createEventStore, toRow } from "../../query/store-rows.ts";
import { startLocalEngine, type TestLocalEngine } from "../../support/local-engine.ts";

const DAYS = ["2026-03-01", "2026-03-02", "2026-03-03"];
const NOW_MS = Date.parse("2026-03-03T12:00:00Z");
const PROJECT = "p";
const { signal } = new AbortController();

describe("profiles of changed wallets that are kept", () => {
  let local: TestLocalEngine;
  let computing: ProfileEngine;
  let store: (events: readonly OracleEvent[]) => Promise<void>;
  const all = generateEvents(createRandom(SEED), { projects: [PROJECT], days: DAYS, count: 120 });
  before(async () => {
    local = await startLocalEngine({ nowMs: () => NOW_MS });
    const { engine } = local;
    const storeRows = await createEventStore(engine, "kept");
    store = (events) => storeRows(events.map(toRow));
    computing = {
      relations: engine.relations,
      select: (sql, { kept: _kept, ...options } = {}) => engine.select(sql, options),
    };
    await store(all.slice(0, 60));
    await materialize(1);
  });
  after(() => local.stop());

  const read = (engine: ProfileEngine) => selectProfiles(engine, PROJECT, { limit: 1_000 }, signal);
  /** The last partition stays dirty. */
  const materialize = async (days: number) => {
    const { maintenance } = local.engine;
    const dirty = await maintenance.listDirty(NOW_MS + DAY_MS, []);
    await maintenance.materialize(dirty.slice(0, days), signal);
  };
  const tables = async () => (await local.engine.select(TABLES)).rows.length;

  /** From a table: the page and its rows are four statements in two questions. */
  async function readKept(): Promise<readonly ProfileRow[]> {
    for (const _ of ["first", "second"]) await read(local.engine);
    assert.equal(await tables(), 1);
    return read(local.engine);
  }

  for (const [what, change] of Object.entries({
    "an event": () => store(all.slice(60, 61)),
    "late events": () => store(all.slice(61)),
    "a materialized partition": () => materialize(1),
    "all partitions but one": () => materialize(DAYS.length - 2),
    "an erased wallet": async () => {
      const [first] = await read(computing);
      await local.engine.maintenance.eraseWallet({ projectId: PROJECT, address: first?.address ?? "" }, signal);
    },
    "a removed day": async () => {
      await local.engine.maintenance.removeBefore([{ projectId: PROJECT, firstDay: DAYS[1] ?? "" }], signal);
    },
    "a rebuild": () => local.engine.maintenance.rebuild(() => undefined, signal),
  }))
    test(`are those of the moment after ${what}`, async () => {
      const before = await readKept();
      await change();
      const now = await read(computing);
      assert.deepEqual(await read(local.engine), now);
      assert.deepEqual(await readKept(), now);
      assert.ok(before.length > 0 && now.length > 0);
    });

  test("do not hide a wallet that has the key of one of them", async () => {
    const [base] = all;
    assert.ok(base);
    const eventOf = (address: string, day: string): OracleEvent => ({
      ...base,
      ...{ project_id: "q", address, day, message_id: `${address} ${day}`, timestamp: Date.parse(`${day}T10:00:00Z`) },
    });
    const [first = "", , last = ""] = DAYS;
    await store([eventOf("0xa", first), eventOf("0xb", first), eventOf("0xc", first)]);
    const dirty = await local.engine.maintenance.listDirty(NOW_MS + DAY_MS, []);
    await local.engine.maintenance.materialize(dirty, signal);
    await store([eventOf("0xa", last)]);
    const ask = (engine: ProfileEngine) => askProfiles<object>(engine, "q", { sql: NUMBERS, params: {} }, signal);
    const keyOf = (address: string) => `(SELECT u.wallet_key FROM profile_sums AS u WHERE u.address = '${address}')`;
    await local.run(`UPDATE profile_sums SET wallet_key = ${keyOf("0xa")} WHERE address = '0xb'`);
    const expected = [
      { address: "0xa", events: 2 },
      { address: "0xb", events: 1 },
      { address: "0xc", events: 1 },
    ];
    assert.deepEqual(await ask(computing), expected);
    for (const _ of ["first", "second", "third", "fourth"]) assert.deepEqual(await ask(local.engine), expected);
    const [table] = (await local.engine.select<{ table_name: string }>(`${TABLES} ORDER BY table_name DESC`)).rows;
    const kept = await local.engine.select(
      `SELECT address FROM memory.main.${table?.table_name} WHERE address IS NOT NULL ORDER BY address`,
    );
    assert.deepEqual(kept.rows, [{ address: "0xa" }, { address: "0xb" }]);
  });
});

const NUMBERS = "SELECT p.address AS address, p.events AS events FROM profiles AS p ORDER BY p.address";
const TABLES = "SELECT table_name FROM duckdb_tables() WHERE database_name = 'memory'";
