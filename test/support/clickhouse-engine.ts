import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clickhouse, openDatabase } from "../../src/engines/clickhouse/database.ts";
import { createEngine } from "../../src/engines/clickhouse/engine.ts";
import type { AnalyticsEngine, BatchStore } from "../../src/engines/port.ts";
import { startClickHouse } from "./clickhouse.ts";

/** A ClickHouse with our schema. It does not wait for marks to settle, and every node of a test has its own cursor. */
export interface TestClickhouseEngine {
  readonly engine: AnalyticsEngine;
  /** For operations outside the port. */
  readonly clickhouse: Clickhouse;
  readonly url: string;
  stop(): Promise<void>;
}

/** It may be emulated and then a hundred times slower. */
const PATIENCE_MS = 600_000;

export async function startClickhouseEngine(options: { nowMs?: () => number } = {}): Promise<TestClickhouseEngine> {
  const server = await startClickHouse();
  const dir = mkdtempSync(join(tmpdir(), "clickhouse-cursors-"));
  const place = new URL(server.url);
  place.username = server.username;
  place.password = server.password;
  place.pathname = server.database;
  const url = place.href;
  const clickhouse = openDatabase({ url, queryMs: PATIENCE_MS, queryMemoryBytes: 0, settings: {} });
  const connected = createEngine(clickhouse, { nowMs: Date.now, settleMs: 0, ...options });
  await connected.schema.migrate();
  const { openBatchStore, closeAll } = keepStores(connected, dir);
  // The limits of single reports are those of a server: the tests of `clickhouse.test.ts` are about limits.
  const select: AnalyticsEngine["select"] = (sql, given) => connected.select(sql, { ...given, timeoutMs: PATIENCE_MS });
  const engine: AnalyticsEngine = { ...connected, openBatchStore, select };
  return {
    engine,
    clickhouse,
    url,
    async stop() {
      await closeAll();
      await connected.close();
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Stores with a cursor in `dir` where a test names none. A test need not close them. */
export function keepStores(
  { openBatchStore: open }: Pick<AnalyticsEngine, "openBatchStore">,
  dir: string,
): Pick<AnalyticsEngine, "openBatchStore"> & { closeAll(): Promise<void> } {
  const opened = new Set<BatchStore>();
  return {
    async openBatchStore(given) {
      const store = await open({ ...given, cursorFile: given.cursorFile || join(dir, given.nodeId) });
      const kept = {
        ...store,
        async close() {
          if (opened.delete(kept)) await store.close();
        },
      };
      opened.add(kept);
      return kept;
    },
    async closeAll() {
      for (const store of opened) await store.close();
    },
  };
}
