import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Chdb, type Context, inContext, insertFrom, ORDINARY_DEFAULT, quote, type RawResult } from "./chdb.ts";
import { loadNative } from "./native.ts";

/** Limit of the whole engine: beyond it a query fails with 241 instead of the kernel killing a process of the run. */
const ENGINE_MEMORY_BYTES = 2 * 1024 ** 3;
const KILL_RETRY_MS = 50;
const NEVER = new AbortController().signal;

const SHARD = "<shard><replica><host>localhost</host><port>9000</port></replica></shard>";
/**
 * A cluster `main` of two shards that are both this engine: a replica with the engine's own port is itself. Nothing
 * listens there.
 */
const CONFIG = `<clickhouse>
  <tcp_port>9000</tcp_port>
  <remote_servers><main>${SHARD}${SHARD}</main></remote_servers>
</clickhouse>
`;

/**
 * Runs statements on an engine inside this process. `dir` must be empty or absent. No process may be forked while it is
 * open: an emulated one crashes.
 */
export async function openNative(dir: string): Promise<Chdb> {
  const store = join(dir, "store");
  const config = join(dir, "config.xml");
  mkdirSync(store, { recursive: true });
  writeFileSync(config, CONFIG);
  const native = loadNative();
  // This connection stays open: the engine shuts down with its last one.
  const keep = native.open(store, [
    `--max_server_memory_usage=${ENGINE_MEMORY_BYTES}`,
    // An eighth for marks: the default of 5 GB exceeds the whole limit.
    `--mark_cache_size=${ENGINE_MEMORY_BYTES / 8}`,
    `--config-file=${config}`,
  ]);
  await native.run(keep, ORDINARY_DEFAULT, "Null");
  const { bytes } = await native.run(keep, "SELECT version()", "TSVRaw");
  /** Tags of running statements that should stop. */
  const doomed = new Set<string>();
  let isKilling = false;
  let started = 0;
  let inserts = 0;

  /**
   * Uses a new connection, which costs 0.3 ms: readonly cannot be reset on one, settings stay on it, and after a failed
   * query the next result began with rows of the failed one. KILL QUERY finds the statement by its tag, because the
   * engine names queries itself.
   */
  async function run(sql: string, context: Context, signal: AbortSignal): Promise<RawResult> {
    signal.throwIfAborted();
    started += 1;
    const tag = `s${started}`;
    const text = inContext(`/*${tag}*/${sql}`, context);
    const connection = native.open(store);
    const kill = (): void => {
      doomed.add(tag);
      if (!isKilling) void killDoomed();
    };
    signal.addEventListener("abort", kill, { once: true });
    try {
      return await native.run(connection, text, "TabSeparated");
    } finally {
      doomed.delete(tag);
      signal.removeEventListener("abort", kill);
      native.close(connection);
    }
  }

  /** Repeats, because a query that has just started is not listed yet. SYNC would wait forever here, ASYNC does not. */
  async function killDoomed(): Promise<void> {
    isKilling = true;
    while (doomed.size > 0) {
      const tags = [...doomed].map(quote).join(",");
      const connection = native.open(store);
      try {
        await native.run(connection, `KILL QUERY WHERE extract(query, '^/\\*(s[0-9]+)') IN (${tags}) ASYNC`, "Null");
      } catch {
        // The engine may be out of memory: the next turn tries again until the query has ended.
      } finally {
        native.close(connection);
      }
      await sleep(KILL_RETRY_MS);
    }
    isKilling = false;
  }

  return {
    version: Buffer.from(bytes).toString().trim(),
    query: run,

    async insert(sql, format, rows, context) {
      inserts += 1;
      const path = join(dir, `in-${inserts}`);
      writeFileSync(path, rows);
      try {
        return await run(insertFrom(path, sql, format), context, NEVER);
      } finally {
        rmSync(path);
      }
    },
  };
}
