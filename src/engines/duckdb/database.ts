/**
 * One DuckDB file: one connection writes, several read. Reads run concurrently in their own threads. Writes run one
 * after the other, because DuckDB would refuse the second of two that change the same rows. A statement that exceeds
 * its time limit is interrupted.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { SQL_LIMITS } from "../../contract/query.ts";
import { createSemaphore, type Semaphore } from "../../lib/semaphore.ts";
import { EngineBusy, EngineDown, EngineRefused, isFailure } from "../failures.ts";
import type { Selected, SelectOptions } from "../select.ts";
import { StatementRefused } from "../user-sql/statement-refused.ts";
import { evictCached, USED_MEMORY } from "./evict.ts";
import { createKeptRelations } from "./kept-relations.ts";
import { createKnownKeys, type KnownKeys } from "./known-keys.ts";
import { createKnownScope, watchScope } from "./known-scope.ts";
import type { MetadataCopy } from "./metadata-copy.ts";
import { type OpenFile, openFile } from "./open-file.ts";
import { createMacros } from "./planning.ts";
import { createQueue } from "./queue.ts";
import { type GoOn, selectWithin } from "./select-within.ts";
import { createThreads, type Threads } from "./threads.ts";
import { createUserQueries, type UserQueries } from "./user-sql/run.ts";
import { watchUserQueries } from "./user-sql/watch.ts";

export interface DatabaseLimits {
  /** The time limit of one read. */
  readonly queryMs: number;
  /** DuckDB's own limit, which is soft: ordinary queries use up to twice as much. */
  readonly memoryBytes: number;
  readonly runningQueries: number;
  /** Statements of users that run at once, beside other reads. */
  readonly userQueries: number;
  /**
   * The memory limit of the whole process. DuckDB's own limit is soft: ordinary queries use up to twice as much, and a
   * hostile one used 24 GB with a limit of 500 MB. Above this limit the running queries are ended, and then the
   * process.
   */
  readonly processBytes: number;
  /** Memory for the answers of reports that are kept while their events are the same. 0: none is kept. */
  readonly keptBytes: number;
}

export interface Database {
  select<T>(sql: string, options?: SelectOptions): Promise<Selected<T>>;
  /** Exclusive among writers, in one transaction; an error rolls it back. */
  write<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  /** As `write`, for the rows of a batch: see threads.ts. */
  store<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  /** Exclusive among writers, without a transaction. */
  alone<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  /**
   * Heavy reads of the worker, one at a time and beside the writer, each when no batch is being stored or waits. At full
   * load that is never, and each waits for some seconds. Tables that they leave are in the database `memory`.
   */
  aside<T>(work: (connection: DuckDBConnection) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** As `alone`, for a checkpoint: see threads.ts. `evict` drops what is cached, unless something is read: see evict.ts. */
  checkpoint<T>(work: (connection: DuckDBConnection, evict: () => Promise<void>) => Promise<T>): Promise<T>;
  /** Of the events that are stored: for those who store more, inside `write` or `store`. */
  readonly knownKeys: KnownKeys;
  /** For those who make a checkpoint: see checkpoint.ts. */
  readonly metadata: MetadataCopy;
  /** Runs statements that users wrote. */
  runUserQuery: UserQueries["run"];
  /** Interrupts all running reads. */
  interruptReads(): void;
  close(): Promise<void>;
}

/** What the process has to say. After the first two only its next one can go on. */
export interface ProcessEnds {
  /** DuckDB answers nothing until the file is opened again, for example after a checkpoint on a full disk. */
  onFatal?(cause: Error): void;
  /** A user's statement runs on after its limit, and nothing else ends it. */
  onStuck?(workspaceId: string): void;
  /** The file was damaged by a loss of power, and this was done: see open-file.ts. */
  onMended?(what: string): void;
}

export async function openDatabase(path: string, limits: DatabaseLimits, ends: ProcessEnds = {}): Promise<Database> {
  const file = await openFile(path, limits.memoryBytes, ends.onMended);
  const writer = await openWriter(file);
  const control = await file.connect();
  const threads = createThreads(control);
  const readers = new Readers(file, limits.runningQueries);
  const users = await openUserQueries(file, limits, ends);
  const toFailure = (cause: unknown): unknown => {
    if (cause instanceof Error && FATAL.test(cause.message)) ends.onFatal?.(cause);
    return failureOf(cause);
  };
  const scopeWrites = watchScope(writer);
  const { alone, done, findWrites, quiet } = createQueue(writer, toFailure, scopeWrites.ended);
  const worker = await file.connect();
  const asides = createQueue(worker, toFailure);
  const knownScope = createKnownScope(scopeWrites);
  const keptRelations = createKeptRelations({ inTransaction, findWrites });
  const evict = () => threads.unread(() => evictCached(control, limits.memoryBytes));

  return {
    async select<T>(sql: string, options: SelectOptions = {}) {
      const { signal } = options;
      signal?.throwIfAborted();
      if (SETTING.test(sql)) throw new EngineRefused("a read changes no setting");
      const { params = {}, kept } = options;
      const read = (connection: DuckDBConnection, goOn: GoOn) =>
        kept === undefined
          ? knownScope.read(connection, sql, params, goOn)
          : keptRelations.read(connection, sql, params, kept, goOn);
      const timeoutMs = Math.min(options.timeoutMs ?? limits.queryMs, limits.queryMs);
      const [connection, give] = await readers.take(signal);
      const endRead = await threads.read();
      try {
        return await selectWithin<T>(connection, read, timeoutMs, signal);
      } catch (cause) {
        signal?.throwIfAborted();
        throw toFailure(cause);
      } finally {
        endRead();
        give();
      }
    },
    write: (work) =>
      alone(async (connection) => {
        const endWrite = await threads.read();
        return inTransaction(connection, work).finally(endWrite);
      }),
    store: (work) => alone((connection) => threads.store(() => inTransaction(connection, work))),
    alone,
    aside: (work, signal) =>
      asides.alone(async (connection) => {
        await quiet(signal);
        return threads.aside(() => work(connection));
      }),
    knownKeys: createKnownKeys(),
    metadata: file.metadata,
    checkpoint: (work) => alone((connection) => threads.checkpoint(() => work(connection, evict))),
    runUserQuery: createRunUserQuery(users, threads, toFailure),
    interruptReads() {
      readers.interruptAll();
      users.endAll();
    },
    async close() {
      await asides.done();
      await done();
      readers.close();
      users.close();
      await threads.adjusted();
      control.closeSync();
      worker.closeSync();
      writer.closeSync();
      file.close();
    },
  };
}

async function openWriter(file: OpenFile): Promise<DuckDBConnection> {
  const writer = await file.connect();
  await createMacros(writer);
  await writer.run("SET allowed_configs = ['threads', 'max_vacuum_tasks', 'memory_limit']");
  await writer.run("SET lock_configuration = true");
  return writer;
}

/** A statement is a read until its answer is read or left. */
function createRunUserQuery(
  users: UserQueries,
  threads: Threads,
  toFailure: (cause: unknown) => unknown,
): UserQueries["run"] {
  return async (query, signal) => {
    const endRead = await threads.read();
    try {
      const answer = await users.run(query, signal);
      return answer.once("close", endRead);
    } catch (cause) {
      endRead();
      signal.throwIfAborted();
      throw toFailure(cause);
    }
  };
}

async function openUserQueries(
  file: OpenFile,
  limits: DatabaseLimits,
  { onStuck = () => undefined }: ProcessEnds,
): Promise<UserQueries> {
  const usedBytes = limits.memoryBytes / 2;
  const own = {
    running: limits.userQueries,
    answerBytes: SQL_LIMITS.answerBytes,
    blameBytes: usedBytes / 2,
    stuckMs: STUCK_MS,
  };
  const queries = createUserQueries(file, own, onStuck);
  const probe = await file.connect();
  const endWatch = watchUserQueries(
    queries,
    {
      used: async () => Number((await probe.runAndReadAll(USED_MEMORY)).getRows()[0]?.[0] ?? 0),
      rss: () => process.memoryUsage.rss(),
    },
    { usedBytes, rssBytes: limits.processBytes * 0.6 },
  );
  return {
    ...queries,
    close() {
      endWatch();
      queries.close();
      probe.closeSync();
    },
  };
}

/** What hears an interrupt ends within 23 ms, or within seconds on a machine with much other work. */
const STUCK_MS = 5_000;

async function inTransaction<T>(
  connection: DuckDBConnection,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  await connection.run("BEGIN TRANSACTION");
  try {
    const done = await work(connection);
    await connection.run("COMMIT");
    return done;
  } catch (cause) {
    // After a failed COMMIT there is no transaction, and the error of ROLLBACK is expected.
    await connection.run("ROLLBACK").catch(() => undefined);
    throw cause;
  }
}

/** At most `capacity` connections, opened on demand; later callers wait in order. */
class Readers {
  readonly #file: OpenFile;
  readonly #slots: Semaphore;
  readonly #all = new Set<DuckDBConnection>();
  readonly #idle: DuckDBConnection[] = [];

  constructor(file: OpenFile, capacity: number) {
    this.#file = file;
    this.#slots = createSemaphore({ perKey: capacity });
  }

  /** The second value releases the connection. */
  async take(signal: AbortSignal | undefined): Promise<[DuckDBConnection, () => void]> {
    const release = await this.#slots.acquire("readers", signal);
    try {
      const connection = this.#idle.pop() ?? (await this.#open());
      const give = () => {
        this.#idle.push(connection);
        release();
      };
      return [connection, give];
    } catch (cause) {
      release();
      throw cause;
    }
  }

  async #open(): Promise<DuckDBConnection> {
    const connection = await this.#file.connect();
    this.#all.add(connection);
    return connection;
  }

  interruptAll(): void {
    for (const connection of this.#all) if (!this.#idle.includes(connection)) connection.interrupt();
  }

  close(): void {
    for (const connection of this.#all) connection.closeSync();
  }
}

/** Reads have no business with what the service changes itself. The SQL of users is no such statement: it is rebuilt. */
const SETTING = /(?:^|;)\s*(?:SET|RESET|PRAGMA)\b/i;
const FATAL = /FATAL Error|database has been invalidated/;
/** Appenders report it with another text than statements. */
const BUSY = /^(Out of Memory|INTERRUPT|IO) Error|could not allocate block/;

function failureOf(cause: unknown): unknown {
  if (!(cause instanceof Error) || isFailure(cause) || cause instanceof StatementRefused) return cause;
  const [line = ""] = cause.message.split("\n");
  if (FATAL.test(line)) return new EngineDown(line, { cause });
  if (BUSY.test(line)) return new EngineBusy(line, { cause });
  return / Error: /.test(line) ? new EngineRefused(line, { cause }) : cause;
}
