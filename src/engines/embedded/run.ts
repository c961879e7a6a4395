import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Connections } from "./connections.ts";
import type { EngineLimits } from "./limits.ts";
import type { Native, RawResult } from "./native.ts";
import { maxSeconds, prepareSql, quote, type Sets, useSql } from "./settings.ts";
import type { Slots } from "./slots.ts";
import type { Spool } from "./spool.ts";
import type { InsertData, Plain, Select, Statement } from "./statement.ts";

/** One query on the engine. `done` settles when nothing of it runs any more. */
export interface Run {
  /** Must be called. Resolves after the last row; rejects when `take` does. */
  read(take: Take): Promise<void>;
  readonly done: Promise<RawResult>;
  /** Stops the computation; `done` then rejects, within about 50 ms. */
  cancel(): void;
}

/** Gets rows in order, and gets no more before its promise is settled. */
export type Take = (chunk: Buffer) => Promise<void> | undefined;

export interface Runner {
  select(statement: Select, format: string, sets: Sets, database: string, signal: AbortSignal): Promise<Run>;
  plain(statement: Plain, format: string, sets: Sets, database: string, signal: AbortSignal): Promise<RawResult>;
  insert(statement: InsertData, format: string, path: string, sets: Sets, database: string): Promise<RawResult>;
  idle(): boolean;
}

export interface RunnerDeps {
  readonly native: Native;
  readonly connections: Connections;
  readonly spool: Spool;
  readonly limits: EngineLimits;
  readonly queries: Slots;
  readonly inserts: Slots;
}

/** max_execution_time is the engine's own clock; past it by this much the query is killed from outside. */
const WATCHDOG_GRACE_MS = 2_000;
const MAX_SQL_BYTES = 16 * 1024 ** 2;
const KILL_RETRY_MS = 50;
const NEVER = new AbortController().signal;

export function createRunner(deps: RunnerDeps): Runner {
  const { native, connections, spool, limits, queries, inserts } = deps;
  let running = 0;
  let started = 0;

  /** Runs `sql` on a connection of its own. The tag is how KILL QUERY finds it: the engine names queries itself. */
  function start(statement: Statement, database: string, prepare: string, sql: string, format: string) {
    started += 1;
    const tag = `/*s${started}*/`;
    const { connection, database: at } = connections.take(database);
    const use = database === at ? "" : useSql(database);
    let settled = false;
    // The engine refuses statements above 256 KiB unless told; ours are bounded before they come here.
    const long = prepare.length + sql.length > 100_000 ? `SET max_query_size=${MAX_SQL_BYTES};` : "";
    const done = native.run(connection, `${long}${use}${prepare}${tag}${sql}`, format).finally(() => {
      settled = true;
      clearTimeout(watchdog);
      running -= 1;
      connections.drop(connection);
    });
    const cancel = (): void => {
      void killUntil(tag, () => settled);
    };
    const watchdog = setTimeout(cancel, maxSeconds(statement, limits) * 1000 + WATCHDOG_GRACE_MS);
    running += 1;
    // Whoever started it looks at `done` later; until then a rejection is not "unhandled".
    done.catch(() => undefined);
    return { done, cancel };
  }

  /** Repeats because a query that has just begun is not listed yet. SYNC would wait for ever here, ASYNC does not. */
  async function killUntil(tag: string, settled: () => boolean): Promise<void> {
    while (!settled()) {
      const { connection } = connections.take("");
      try {
        await native.run(connection, `KILL QUERY WHERE startsWith(query, ${quote(tag)}) ASYNC`, "Null");
      } catch {
        // The engine is out of memory or stopping; the next turn of the loop tries again until the query has ended.
      } finally {
        connections.drop(connection);
      }
      if (!settled()) await sleep(KILL_RETRY_MS);
    }
  }

  return {
    async select(statement, format, sets, database, signal) {
      const prepare = prepareSql(statement, sets, limits);
      const slot = await queries.take(signal);
      try {
        const pipe = spool.openPipe(slot);
        const sql = `${statement.before}\nINTO OUTFILE '${pipe.path}' APPEND FORMAT ${format}${statement.after}`;
        const query = start(statement, database, prepare, sql, "Null");
        const done = query.done.finally(() => pipe.closeWriter());
        // The pipe belongs to the slot: the next query may have it only when the last byte of this one has been read.
        const read = new Promise((resolve) => pipe.output.once("close", resolve));
        void Promise.allSettled([done, read]).then(() => {
          spool.preparePipe(slot);
          queries.give(slot);
        });
        return { read: (take) => readToTheEnd(pipe.output, take), done, cancel: query.cancel };
      } catch (cause) {
        queries.give(slot);
        throw cause;
      }
    },

    async plain(statement, format, sets, database, signal) {
      const prepare = prepareSql(statement, sets, limits);
      if (statement.keyword === "kill") {
        return start(statement, database, prepare, statement.sql, format).done;
      }
      const slots = statement.keyword === "insert" ? inserts : queries;
      const slot = await slots.take(signal);
      try {
        return await start(statement, database, prepare, statement.sql, format).done;
      } finally {
        slots.give(slot);
      }
    },

    /** Without a signal: an insert whose client went away is finished, half of it would be worse. */
    async insert(statement, format, path, sets, database) {
      const prepare = prepareSql(statement, sets, limits);
      const slot = await inserts.take(NEVER);
      try {
        const sql = `${statement.target} FROM INFILE '${path}' ${statement.clause} FORMAT ${format}`;
        return await start(statement, database, prepare, sql, "Null").done;
      } finally {
        inserts.give(slot);
      }
    },

    idle: () => running === 0 && connections.idle(),
  };
}

/**
 * A reader that leaves early must not close the pipe: the engine would wait for ever to open it, or to write into it when
 * it is full, and KILL QUERY reaches neither wait. So the rest is read and thrown away until the query has ended.
 */
function readToTheEnd(output: Readable, take: Take): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = false;
    output.once("end", resolve).once("close", resolve);
    output.on("data", (chunk: Buffer) => {
      const taken = left ? undefined : take(chunk);
      if (taken === undefined) return;
      output.pause();
      const leave = (cause: unknown): void => {
        left = true;
        reject(cause);
      };
      void taken.catch(leave).finally(() => output.resume());
    });
  });
}
