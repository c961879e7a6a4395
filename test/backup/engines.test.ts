import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { FileEntry } from "../../src/backup/manifest.ts";
import { refuseUsedWarehouse } from "../../src/backup/restore.ts";
import { loadWarehouse, makeWarehouseDir, saveWarehouse } from "../../src/backup/warehouse-files.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { type ExportedRow, SOURCE_TABLES } from "../../src/engines/source-tables.ts";
import { DAY_MS } from "../../src/lib/time.ts";
import { exportTable } from "../../src/warehouse/export.ts";
import { startClickhouseEngine } from "../support/clickhouse-engine.ts";
import { sampleEvent } from "../support/events.ts";
import { createTestWriter, startLocalEngine } from "../support/local-engine.ts";
import { whyNoClickHouse } from "../support/platform.ts";

/** Noon of yesterday: ClickHouse removes parked events by its own clock, 31 days after their receipt. */
const NOW_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS / 2;
const LATER_MS = NOW_MS + DAY_MS;
const ODD = "tab\t 'quote' \"double\" \\ back\nline \u0000 nul ü 🙂 \u2028";
const quiet = () => undefined;

const ENGINES = { duckdb: startLocalEngine, clickhouse: startClickhouseEngine } as const;
type Name = keyof typeof ENGINES;
const PAIRS: [Name, Name][] = [
  ["duckdb", "duckdb"],
  ["duckdb", "clickhouse"],
  ["clickhouse", "duckdb"],
];

/** A partition and wallets larger than one read, with late and odd events, copies, and parked and refused events. */
async function fill(engine: AnalyticsEngine): Promise<void> {
  const send = await createTestWriter(engine);
  const many = Array.from({ length: 6_000 }, (_, i) => sampleEvent(`m-${i}`, { anonymous_id: `v${i % 900}` }));
  for (let from = 0; from < many.length; from += 1_000) await send("many", many.slice(from, from + 1_000), NOW_MS);
  await send("many", [sampleEvent("m-1"), { type: ODD }], NOW_MS + 60_000);
  const odd = { properties: JSON.stringify({ text: ODD, revenue: 0.1 }), user_id: ODD, address: "0xAbC" };
  await send("odd", [sampleEvent(ODD, odd), sampleEvent("large", { properties: { x: "ü".repeat(60_000) } })], NOW_MS);
  const days = Array.from({ length: 9 }, (_, i) => `2025-0${i + 1}-01T00:00:00Z`);
  const old = days.map((at) => sampleEvent(at, { channel: "import", original_timestamp: at, sent_at: at }));
  await send("odd", old, NOW_MS);
  await send("refused", { why: "too_many", count: 6_000 }, NOW_MS);
  await send("parked", [{ raw: "🙂".repeat(40_000) }, 5], NOW_MS);
  const told = { project_id: "many", value: ODD, is_deleted: 0, changed_ms: NOW_MS } as const;
  const wallets = Array.from({ length: 5_100 }, (_, i) => ({ ...told, address: `0x${i}`, name: "ens" }));
  const label = { ...told, address: ODD, tag_id: ODD, chain_id: "", source: "import", is_deleted: 1 } as const;
  await engine.writeWallets({ properties: wallets, labels: [label, { ...label, chain_id: "1" }] });
  const sums = { visitors: 1, visits: 2, pageviews: 3, bounces: 0, duration_ms: 4_000 };
  const counted = { project_id: "many", import_id: "imp_1", dimension: "page", value: ODD, detail: "/", ...sums };
  await engine.writeImportedDays(["2024-01-31", "2024-02-01"].map((day) => ({ ...counted, day })));
}

async function readAll(engine: AnalyticsEngine): Promise<Record<string, ExportedRow[]>> {
  const found: Record<string, ExportedRow[]> = {};
  for (const table of SOURCE_TABLES) {
    const rows: ExportedRow[] = [];
    for await (const piece of exportTable(engine, table, LATER_MS)) rows.push(...piece.rows);
    const keyed = rows.map(
      (row) => [JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1))), row] as const,
    );
    found[table] = keyed.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }
  return found;
}

for (const [from, to] of PAIRS) {
  const skip = from === to ? false : (whyNoClickHouse() ?? false);
  describe(`a backup of ${from}, restored into ${to}`, { skip }, () => {
    const dir = mkdtempSync(join(tmpdir(), "engines-"));
    let [source, target]: Awaited<ReturnType<(typeof ENGINES)[Name]>>[] = [];
    let files: FileEntry[];
    before(async () => {
      [source, target] = [await ENGINES[from](), await ENGINES[to]()];
      await fill(source.engine);
      await makeWarehouseDir(dir);
      files = await saveWarehouse(source.engine, dir, { recent: [], recentMs: LATER_MS }, quiet);
    });
    after(async () => {
      await source?.stop();
      await target?.stop();
      rmSync(dir, { recursive: true, force: true });
    });

    test("has every row unchanged", async () => {
      assert.ok(source !== undefined && target !== undefined);
      const counts = await loadWarehouse(target.engine, dir, files, quiet);
      const [theirs, ours] = [await readAll(source.engine), await readAll(target.engine)];
      assert.deepEqual(ours, theirs);
      assert.deepEqual(counts, Object.fromEntries(Object.entries(theirs).map(([table, rows]) => [table, rows.length])));
      const { events, wallet_properties, wallet_labels, imported_days } = counts;
      assert.deepEqual([events, wallet_properties, wallet_labels, imported_days], [6_011, 5_100, 2, 2]);
      const received = (theirs.ledger ?? []).reduce((sum, { events }) => sum + Number(events), 0);
      assert.equal(received, 6_000 + 2 + 2 + 9 + 6_000 + 2);
    });

    test("recognizes copies of its events, and its parked events", async () => {
      assert.ok(target !== undefined);
      const send = await createTestWriter(target.engine);
      const ledger = await send("many", [sampleEvent("m-1")], NOW_MS + 2 * 60_000);
      // ClickHouse finds copies when it is asked.
      if (to === "duckdb")
        assert.deepEqual(
          ledger.map(({ outcome, events }) => [outcome, events]),
          [["duplicate", 1]],
        );
      const { rows } = await target.engine.select<{ n: number }>("SELECT count() AS n FROM events");
      assert.equal(rows[0]?.n, 6_011);
    });
  });
}

test("a backup is not restored into a warehouse that has tables", async () => {
  await assert.rejects(refuseUsedWarehouse({ schema: { version: async () => 2 } }), /is already in use/);
  await refuseUsedWarehouse({ schema: { version: async () => 0 } });
});
