import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LedgerEntry, LogPosition } from "../../src/engines/batch.ts";
import { type LocalEngine, openLocalEngine } from "../../src/engines/duckdb/engine.ts";
import { DEFAULT_LIMITS } from "../../src/engines/duckdb/limits.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { encodeRequest, type LoggedRequest } from "../../src/ingest/logged-request.ts";
import { createTransform } from "../../src/warehouse/transform.ts";

/** DuckDB in this process, in a directory of its own, with our schema. */
export interface TestLocalEngine {
  readonly engine: LocalEngine;
  readonly path: string;
  /** A statement that changes something. */
  run(sql: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startLocalEngine(
  options: { memoryBytes?: number; nowMs?: () => number } = {},
): Promise<TestLocalEngine> {
  const dir = mkdtempSync(join(tmpdir(), "duckdb-"));
  const path = join(dir, "warehouse.duckdb");
  const { nowMs = Date.now, memoryBytes = DEFAULT_LIMITS.memoryBytes } = options;
  if (!isFirst) {
    migrated ??= makeMigratedFile();
    writeFileSync(path, await migrated);
  }
  isFirst = false;
  const engine = await openLocalEngine({ path, limits: { ...DEFAULT_LIMITS, memoryBytes }, nowMs });
  await engine.schema.migrate();
  return {
    engine,
    path,
    run: (sql) => engine.database.write(async (connection) => void (await connection.run(sql))),
    async stop() {
      await engine.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** From the second on, warehouses are copies of one that was migrated once in this process: 70 ms less of processor. */
let isFirst = true;
let migrated: Promise<Buffer> | undefined;

async function makeMigratedFile(): Promise<Buffer> {
  const dir = mkdtempSync(join(tmpdir(), "duckdb-"));
  const path = join(dir, "warehouse.duckdb");
  const engine = await openLocalEngine({ path, limits: DEFAULT_LIMITS, nowMs: Date.now });
  await engine.schema.migrate();
  await engine.close();
  const bytes = readFileSync(path);
  rmSync(dir, { recursive: true, force: true });
  return bytes;
}

/** What a request brings: events, or why it was refused. */
export type RequestBody = readonly unknown[] | NonNullable<LoggedRequest["refused"]>;

/** Stores requests as the writer does, each as a batch of its own. */
export async function createTestWriter(engine: AnalyticsEngine, nodeId = "n") {
  const store = await engine.openBatchStore({ nodeId, cursorFile: "" });
  const transform = createTransform(undefined, undefined, store.form);
  let from: LogPosition = (await store.position()).done;
  return async (
    projectId: string,
    body: RequestBody,
    receivedAtMs: number,
    request: Partial<LoggedRequest> = {},
  ): Promise<readonly LedgerEntry[]> => {
    const common = { projectId, workspaceId: "w", rules: "tracked", lines: false, idBase: "x", receivedAtMs } as const;
    const logged: LoggedRequest = { ...common, ...request, ...("why" in body ? { refused: body } : {}) };
    const payload = Buffer.concat(encodeRequest(logged, Buffer.from("why" in body ? "" : JSON.stringify(body))));
    const to = { segment: 1, offset: from.offset + payload.length };
    const recordId = `${nodeId}-${from.offset}`;
    const batch = transform([{ payload, recordId }]);
    const { ledger } = await store.store(batch, { from, to, token: recordId }, new AbortController().signal);
    from = to;
    return ledger;
  };
}

export async function selectNumber(engine: Pick<AnalyticsEngine, "select">, sql: string): Promise<number> {
  const { rows } = await engine.select<{ n: number }>(sql);
  return Number(rows[0]?.n ?? 0);
}
