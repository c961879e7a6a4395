import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Connections, openConnections } from "./connections.ts";
import { type ReadStatement, rememberStatements } from "./known-statements.ts";
import type { EngineLimits } from "./limits.ts";
import { type Connection, loadNative, type Native } from "./native.ts";
import { type ReadonlyGuard, readonlyGuard } from "./readonly.ts";
import { createRunner, type Runner } from "./run.ts";
import { createSlots } from "./slots.ts";
import { openSpool, type Spool } from "./spool.ts";

/** Everything that runs inside the engine's process, without HTTP. */
export interface OpenEngine {
  readonly runner: Runner;
  readonly spool: Spool;
  readonly guard: ReadonlyGuard;
  readonly readStatement: ReadStatement;
  readonly version: string;
  readonly timezone: string;
  close(): void;
}

/** `args`: more of what the engine's own command line takes; only tests pass any. */
export async function openEngine(dir: string, limits: EngineLimits, args: readonly string[] = []): Promise<OpenEngine> {
  const store = join(dir, "store");
  mkdirSync(store, { recursive: true, mode: 0o700 });
  const native = loadNative();
  const spool = openSpool(join(dir, "spool"), limits.runningQueries);
  // This one stays open: the engine shuts down with its last connection.
  const keep = native.open(store, [
    `--max_server_memory_usage=${limits.engineMemoryBytes}`,
    // An eighth for marks: the default of 5 GB would be the whole bound.
    `--mark_cache_size=${Math.floor(limits.engineMemoryBytes / 8)}`,
    // A sixteenth for unpacked columns, where a statement asks for that (use_uncompressed_cache): by default there is no room for any.
    `--uncompressed_cache_size=${Math.floor(limits.engineMemoryBytes / 16)}`,
    // Merging can wait; a 200 cannot. It takes what the two JavaScript threads and the inserts leave.
    "--os_threads_nice_value_merge_mutate=10",
    ...args,
  ]);
  await closeFilesystem(native, keep, store);
  const guard = readonlyGuard(
    await rows(native, keep, "SELECT name FROM system.table_functions WHERE NOT allow_readonly"),
  );
  const [version = "", timezone = "UTC"] = await rows(native, keep, "SELECT arrayJoin([version(), timezone()])");
  const connections: Connections = openConnections(native, store, limits.runningQueries + limits.runningInserts);
  const runner = createRunner({
    native,
    connections,
    spool,
    limits,
    queries: createSlots(limits.runningQueries, limits.waitingQueries),
    inserts: createSlots(limits.runningInserts, limits.waitingInserts),
  });
  return {
    runner,
    spool,
    guard,
    readStatement: rememberStatements(),
    version,
    timezone,
    close() {
      connections.close();
      native.close(keep);
    },
  };
}

/**
 * `default` is an overlay on the file system in this engine: SELECT * FROM `/etc/passwd` read the file, readonly or not.
 * An ordinary database takes its place at every start. One that ever had a table is attached as it is; an empty one
 * cannot be attached (the engine says "Cannot find UUID mapping") and is made anew.
 */
async function closeFilesystem(native: Native, keep: Connection, store: string): Promise<void> {
  const hadTables = existsSync(join(store, "metadata", "default"));
  if (hadTables) {
    await native.run(keep, "DETACH DATABASE default; ATTACH DATABASE default", "Null");
  } else {
    const [tables] = await rows(native, keep, "SELECT count() FROM system.tables WHERE database = 'default'");
    if (tables !== "0") throw new Error("the engine's default database has tables where none are expected");
    await native.run(keep, "DROP DATABASE default; CREATE DATABASE default ENGINE = Atomic", "Null");
  }
  const [engine] = await rows(native, keep, "SELECT engine FROM system.databases WHERE name = 'default'");
  if (engine !== "Atomic") throw new Error(`the engine's default database is ${engine ?? "missing"}`);
}

async function rows(native: Native, connection: Connection, sql: string): Promise<string[]> {
  const { bytes } = await native.run(connection, sql, "TSVRaw");
  return Buffer.from(bytes).toString().split("\n").filter(Boolean);
}
