import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { WalletLabel, WalletProperty } from "../../src/engines/wallet-rows.ts";
import { exportTable } from "../../src/warehouse/export.ts";
import { removeDeletedProjects } from "../../src/warehouse/retention.ts";
import { ENGINES, type StartedEngine } from "../support/both-engines.ts";

const property = (changes: Partial<WalletProperty>): WalletProperty => ({
  project_id: "p",
  address: "0xa",
  name: "ens",
  value: "a.eth",
  is_deleted: 0,
  changed_ms: 1_000,
  ...changes,
});
const label = (changes: Partial<WalletLabel>): WalletLabel => ({
  project_id: "p",
  address: "0xa",
  tag_id: "tier",
  chain_id: "",
  value: "gold",
  source: "import",
  is_deleted: 0,
  changed_ms: 1_000,
  ...changes,
});

for (const { name, skip, start } of ENGINES)
  describe(`what an app says about wallets on ${name}`, { skip }, () => {
    let started: StartedEngine;
    before(async () => {
      started = await start();
    });
    after(() => started.stop());

    const write = (properties: WalletProperty[], labels: WalletLabel[] = []) =>
      started.engine.writeWallets({ properties, labels });
    const read = async (project: string) => {
      const sql = `SELECT address, name, value, is_deleted, changed_ms FROM wallet_properties
        WHERE project_id = {project:String} ORDER BY address, name`;
      return (await started.engine.select<WalletProperty>(sql, { params: { project } })).rows;
    };
    const exported = async (table: "wallet_properties" | "wallet_labels") => {
      const rows = [];
      for await (const piece of exportTable(started.engine, table, 0)) rows.push(...piece.rows);
      return rows;
    };

    test("the latest time counts in every order of arrival", async () => {
      const orders = [
        [1, 2, 3],
        [1, 3, 2],
        [2, 1, 3],
        [2, 3, 1],
        [3, 1, 2],
        [3, 2, 1],
      ];
      for (const [at, order] of orders.entries()) {
        const project_id = `order-${at}`;
        for (const n of order)
          await write([property({ project_id, value: `v${n}`, is_deleted: n === 3 ? 1 : 0, changed_ms: n })]);
        const last = { address: "0xa", name: "ens", value: "v3", is_deleted: 1, changed_ms: 3 };
        assert.deepEqual(await read(project_id), [last]);
      }
    });

    test("of two writes of the same time the last one counts, in one call and in two", async () => {
      await write([property({ project_id: "equal", value: "one" }), property({ project_id: "equal", value: "two" })]);
      assert.equal((await read("equal"))[0]?.value, "two");
      await write([property({ project_id: "equal", value: "three" })]);
      assert.equal((await read("equal"))[0]?.value, "three");
    });

    test("a backup has every row with what was unset, and an import of it changes nothing", async () => {
      await write([property({}), property({ name: "lens", is_deleted: 1 })], [label({}), label({ chain_id: "1" })]);
      for (const table of ["wallet_properties", "wallet_labels"] as const) {
        const rows = await exported(table);
        assert.ok(rows.filter(({ project_id }) => project_id === "p").length === 2, JSON.stringify(rows));
        assert.equal(await started.engine.importRows(table, rows), rows.length);
        assert.deepEqual(await exported(table), rows);
      }
    });

    test("a deleted project takes its own along, and no others", async () => {
      await write(
        [property({ project_id: "gone" }), property({ project_id: "stays" })],
        [label({ project_id: "gone" })],
      );
      await removeDeletedProjects(started.engine, ["gone"], new AbortController().signal);
      assert.deepEqual(await read("gone"), []);
      assert.equal((await read("stays")).length, 1);
      assert.ok((await exported("wallet_labels")).every(({ project_id }) => project_id !== "gone"));
    });
  });
