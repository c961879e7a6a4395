/**
 * Fills the warehouse of the query benchmark while the service is stopped, and measures its size on disk. The engine
 * itself generates the events by SQL; sessions and rollups are derived as by `sextant rebuild` and the worker.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { type Database, openDatabase } from "../src/engines/duckdb/database.ts";
import { openLocalEngine } from "../src/engines/duckdb/engine.ts";
import { DEFAULT_LIMITS } from "../src/engines/duckdb/limits.ts";
import { toStatement } from "../src/engines/duckdb/statement.ts";
import type { AnalyticsEngine } from "../src/engines/port.ts";
import { readSqlParts } from "../src/lib/sql.ts";
import { DAY_MS, dayOf } from "../src/lib/time.ts";
import { FEWEST_EVENTS } from "../src/warehouse/materialize-partitions.ts";

export const DAYS = 90;

const partOf = readSqlParts(new URL("./query-data.sql", import.meta.url));
const CHUNK_EVENTS = 250_000;
const EVENTS_A_SESSION = 5;
export const LOAD_LIMITS = {
  ...DEFAULT_LIMITS,
  queryMs: 3_600_000,
  memoryBytes: 4 * 1024 ** 3,
  runningQueries: 2,
} as const;
/** Skips the margins after midnight and after late events. */
const LATER_MS = 12 * 3_600_000;

export interface LoadPlan {
  readonly events: number;
  /** Another load over the same days has another number and other visitors. */
  readonly load: number;
  readonly projects: readonly string[];
  /** The days of the events, up to `endMs`: 90 up to now. */
  readonly days?: number;
  readonly endMs?: number;
}

export const fileOf = (engineDir: string) => join(engineDir, "warehouse.duckdb");

/** Today is the last day, up to now. */
export async function loadEvents(path: string, plan: LoadPlan, onProgress: (done: number) => void): Promise<void> {
  const { endMs = Date.now(), days = DAYS } = plan;
  const startMs = Date.parse(dayOf(endMs)) - (days - 1) * DAY_MS;
  const database = await openDatabase(path, LOAD_LIMITS);
  const common = {
    projects: plan.projects,
    days,
    sessions: Math.ceil(plan.events / EVENTS_A_SESSION),
    start_ms: startMs,
    end_ms: endMs,
  };
  await prepare(database, plan.load);
  for (let from = 0; from < plan.events; from += CHUNK_EVENTS) {
    const count = Math.min(CHUNK_EVENTS, plan.events - from);
    const { sql, values } = toStatement(partOf("insert"), { ...common, from, count });
    await database.alone(async (connection) => {
      await connection.run(sql, values);
      await connection.run("CHECKPOINT");
    });
    onProgress(from + count);
  }
  await database.close();
}

export async function prepare(database: Database, load: number): Promise<void> {
  await database.alone(async (connection) => {
    await connection.run(`SET VARIABLE load = ${load}`);
    await connection.run(partOf("macros"));
  });
}

/** Builds sessions of all partitions, and rollups of the finished ones: without bots, as the projects are set. */
export async function materializeAll(
  path: string,
  projects: readonly string[],
  onProgress: (text: string) => void,
  nowMs = Date.now(),
): Promise<number> {
  const engine = await openLocalEngine({ path, limits: LOAD_LIMITS, nowMs: () => nowMs });
  const signal = new AbortController().signal;
  await engine.maintenance.rebuild((done, total) => onProgress(`sessions of ${done} of ${total} partitions`), signal);
  const clean = await materializeDue(engine, { projects, nowMs }, onProgress, signal);
  await engine.close();
  return clean;
}

/** The worker does it once an hour, so that on average the last half an hour is not rolled up. */
const SINCE_ROLLED_UP_MS = 1_800_000;

/** Rolls up today, as the worker would have. */
export async function rollUpToday(path: string, projects: readonly string[]): Promise<void> {
  const nowMs = Date.now() - SINCE_ROLLED_UP_MS;
  const engine = await openLocalEngine({ path, limits: LOAD_LIMITS, nowMs: () => nowMs });
  const { signal } = new AbortController();
  await engine.maintenance.rollUpHours({ nowMs, withoutBots: projects, fewestEvents: FEWEST_EVENTS }, signal);
  await engine.close();
}

async function materializeDue(
  engine: AnalyticsEngine,
  { projects, nowMs }: { readonly projects: readonly string[]; readonly nowMs: number },
  onProgress: (text: string) => void,
  signal: AbortSignal,
): Promise<number> {
  let clean = 0;
  const today = dayOf(nowMs);
  const due = (await engine.maintenance.listDirty(nowMs + LATER_MS, projects)).filter(({ day }) => day < today);
  for (const together of Map.groupBy(due, ({ group }) => group).values()) {
    clean += (await engine.maintenance.materialize(together, signal)).length;
    onProgress(`rollups of ${clean} of ${due.length} partitions`);
  }
  return clean;
}

export interface Disk {
  readonly events: number;
  readonly bytesPerEvent: number;
  /** The size of the whole file. */
  readonly bytes: number;
  readonly tables: readonly { readonly table: string; readonly bytes: number }[];
}

/** Counts used blocks; free ones are reused before the file grows. */
export async function measureDisk(path: string): Promise<Disk> {
  const database = await openDatabase(path, LOAD_LIMITS);
  try {
    const size = await database.select<{ block_size: number; used_blocks: number }>(
      "SELECT block_size, used_blocks FROM pragma_database_size() WHERE database_name = 'warehouse'",
    );
    const events = (await database.select<{ n: number }>("SELECT count() AS n FROM events")).rows[0]?.n ?? 0;
    const [{ block_size, used_blocks } = { block_size: 0, used_blocks: 0 }] = size.rows;
    const tables = [];
    for (const table of ["events", "sessions", "rollups"]) {
      const blocks = await database.select<{ n: number }>(
        // Texts under zstd have further blocks.
        `SELECT count(DISTINCT id) AS n FROM (
           SELECT unnest(list_append(additional_block_ids, block_id)) AS id FROM pragma_storage_info('${table}')
         ) WHERE id >= 0`,
      );
      tables.push({ table, bytes: (blocks.rows[0]?.n ?? 0) * block_size });
    }
    return { events, bytesPerEvent: (block_size * used_blocks) / events, bytes: statSync(path).size, tables };
  } finally {
    await database.close();
  }
}
