import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadNative, type RawResult } from "./native.ts";

/**
 * Runs statements on an engine inside this process. No process may be forked while it is open: an emulated one crashes.
 */
export interface Chdb {
  readonly version: string;
  /** An abort stops the computation; the promise then rejects with the engine's message. */
  query(sql: string, context: Context, signal: AbortSignal): Promise<RawResult>;
  /** `sql` ends before its FORMAT. A started insert is finished, as on a server. */
  insert(sql: string, format: string, rows: Buffer, context: Context): Promise<RawResult>;
}

/** The context of a statement. */
export interface Context {
  /** "" for the engine's own default. */
  readonly database: string;
  /** Settings, and parameters as `param_name`. */
  readonly settings: ReadonlyMap<string, string>;
}

/** Limit of the whole engine: beyond it a query fails with 241 instead of the kernel killing a process of the run. */
const ENGINE_MEMORY_BYTES = 2 * 1024 ** 3;
const LONG_SQL_CHARS = 50_000;
const MAX_SQL_BYTES = 16 * 1024 ** 2;
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

/** `dir` must be empty or absent. */
export async function openChdb(dir: string): Promise<Chdb> {
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
  // In this engine `default` shows the files of the machine; a server has an ordinary database of that name.
  await native.run(keep, "DROP DATABASE default; CREATE DATABASE default ENGINE = Atomic", "Null");
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
  async function run(sql: string, { database, settings }: Context, signal: AbortSignal): Promise<RawResult> {
    signal.throwIfAborted();
    started += 1;
    const tag = `s${started}`;
    const assignments = Array.from(settings, ([name, value]) => `${name}=${quote(value)}`);
    const parts = [
      ...(database === "" ? [] : [`USE ${quoteName(database)}`]),
      ...(assignments.length === 0 ? [] : [`SET ${assignments.join(",")}`]),
      `/*${tag}*/${sql}`,
    ];
    // By default the engine refuses texts above 256 KiB, and a SET with a long parameter is one.
    const isLong = parts.some((part) => part.length > LONG_SQL_CHARS);
    const text = [...(isLong ? [`SET max_query_size=${MAX_SQL_BYTES}`] : []), ...parts].join(";");
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

    /** Through a file: in a text, the engine ends the data at the first blank line and runs the rest as SQL. */
    async insert(sql, format, rows, context) {
      inserts += 1;
      const path = join(dir, `in-${inserts}`);
      writeFileSync(path, rows);
      try {
        return await run(`${sql} FROM INFILE ${quote(path)} FORMAT ${format}`, context, NEVER);
      } finally {
        rmSync(path);
      }
    },
  };
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "'": "\\'", "\0": "\\0" };

/** Only these three can end or cut a literal; all other bytes, including line breaks, stay as they are. */
function quote(value: string): string {
  return `'${value.replace(/[\\'\0]/g, (char) => ESCAPES[char] ?? char)}'`;
}

function quoteName(name: string): string {
  return `\`${name.replace(/[\\`]/g, (char) => `\\${char}`)}\``;
}
