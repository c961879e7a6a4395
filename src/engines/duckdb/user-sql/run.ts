/**
 * Runs statements of users on connections of their own, each in a transaction that cannot write. Time and memory are
 * limited from outside: DuckDB has no limit for one query, and not every step of a statement hears an interrupt. One that
 * runs on after its limit costs the engine its process (`onStuck`).
 */
import { Readable } from "node:stream";
import type { DuckDBConnection, DuckDBInstance, DuckDBResult } from "@duckdb/node-api";
import { createSemaphore, WaitTimeout } from "../../../lib/semaphore.ts";
import { readSql } from "../../../lib/sql.ts";
import { EngineBusy } from "../../failures.ts";
import { StatementRefused } from "../../statement-refused.ts";
import { FORMATS } from "../../user-sql/formats.ts";
import type { RunUserQuery, UserQuery } from "../../user-sql/user-query.ts";
import type { PlannedStatement } from "./planner-messages.ts";
import { createPlanners } from "./planners.ts";

export interface UserQueryLimits {
  /** Statements that run at once. */
  readonly running: number;
  readonly answerBytes: number;
  /** Of the memory that statements took together: one that took more than this is to blame. */
  readonly blameBytes: number;
  /** How long a statement may run on after its limit. */
  readonly stuckMs: number;
}

export interface UserQueries {
  run: RunUserQuery;
  /** Ends all running statements, of which none is to blame. */
  endAll(): void;
  /** The memory of the process has grown: each running statement gets an equal part of it. */
  addGrowth(bytes: number): void;
  /** Ends the largest statement of the workspace whose statements took the most memory. */
  endLargest(): void;
  /** The number of running statements. */
  count(): number;
  close(): void;
}

/** Up to this size an answer is complete before it is sent: then a failure at its end is still an error. */
const WHOLE_BYTES = 1024 * 1024;
/** A piece of an answer: between two of them the process does other work. */
const PIECE_CHARS = 128 * 1024;
const TOO_MUCH = "The query needs more memory than a query may use";

interface Running {
  readonly workspaceId: string;
  readonly connection: DuckDBConnection;
  /** Aborted when the statement is ended, with the error that its caller sees. */
  readonly stop: AbortController;
  /** The memory that it took, as far as it can be told. */
  bytes: number;
}

export function createUserQueries(
  instance: DuckDBInstance,
  limits: UserQueryLimits,
  /** A statement runs on after it was ended. */
  onStuck: (workspaceId: string) => void,
): UserQueries {
  const planners = createPlanners();
  const idle: DuckDBConnection[] = [];
  const running = new Set<Running>();
  const places = createSemaphore({ perKey: Math.max(1, limits.running - 1), total: limits.running, waitMs: 30_000 });

  function end(own: Running, why: Error): void {
    own.stop.abort(why);
    own.connection.interrupt();
  }

  /** Whoever runs alone is to blame: reports leave this memory to statements. */
  function memoryFailure({ bytes }: Pick<Running, "bytes">, cause?: unknown): Error {
    const isToBlame = running.size <= 1 || bytes > limits.blameBytes;
    return isToBlame ? new StatementRefused(TOO_MUCH, { cause }) : new EngineBusy("too little memory", { cause });
  }

  async function take(workspaceId: string, signal: AbortSignal): Promise<() => void> {
    try {
      return await places.acquire(workspaceId, signal);
    } catch (cause) {
      if (cause instanceof WaitTimeout) throw new EngineBusy("no place for a statement", { cause });
      throw cause;
    }
  }

  /** Pieces of the answer. The caller may stop at any of them. `giveUp`: the statement runs on after its limit. */
  async function* answer(
    query: UserQuery,
    signal: AbortSignal,
    giveUp: (cause: Error) => void,
  ): AsyncGenerator<Buffer> {
    const { workspaceId, timeoutMs } = query;
    const release = await take(workspaceId, signal);
    const startedAt = performance.now();
    const connection = idle.pop() ?? (await instance.connect());
    const own: Running = { workspaceId, connection, stop: new AbortController(), bytes: 0 };
    const onAbort = () => end(own, new StatementRefused("The client is gone"));
    let stuck: NodeJS.Timeout | undefined;
    const timer = setTimeout(() => {
      end(own, tooLong(timeoutMs));
      stuck = setTimeout(() => {
        giveUp(tooLong(timeoutMs));
        onStuck(workspaceId);
      }, limits.stuckMs);
    }, timeoutMs);
    signal.addEventListener("abort", onAbort, { once: true });
    running.add(own);
    try {
      yield* execute(own, query, startedAt);
    } catch (cause) {
      signal.throwIfAborted();
      own.stop.signal.throwIfAborted();
      throw toPublic(cause, query.sql, (memory) => memoryFailure(own, memory));
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      running.delete(own);
      await putBack(connection);
      clearTimeout(stuck);
      release();
    }
  }

  async function* execute(own: Running, query: UserQuery, startedAt: number): AsyncGenerator<Buffer> {
    const { connection, stop } = own;
    const { sql, defaultRows, relations, format: formatName } = query;
    const asked = { sql, defaultRows, relations, format: formatName };
    const goOn = () => stop.signal.throwIfAborted();
    const plan = await planners.plan({ ...asked, part: "page" }, stop.signal);
    const values = valuesOf(plan, query);
    goOn();
    await connection.run("BEGIN TRANSACTION READ ONLY");
    const result = await connection.stream(plan.sql, values);
    const format = FORMATS[formatName];
    let rows = 0;
    for await (const piece of readPieces(result, format.head(plan.columns), format.separator, plan.limit)) {
      goOn();
      rows = piece.rows;
      yield piece.bytes;
    }
    goOn();
    const { limit, offset, hasLimit } = plan;
    const hasMore = rows > limit;
    const returned = Math.min(rows, limit);
    const least = rows === 0 ? 0 : offset + rows;
    const isKnown = !hasMore && (returned > 0 || offset === 0);
    const readTotal = async () => {
      const counting = await planners.plan({ ...asked, part: "total" }, stop.signal);
      return countRows(counting.sql, { connection, values, least, startedAt, query });
    };
    const total = isKnown || !format.needsTotal ? least : await readTotal();
    goOn();
    const summary = { total, limit, offset, hasMore: offset + returned < total, isCut: hasMore && !hasLimit };
    yield Buffer.from(format.tail(summary, returned > 0));
  }

  async function putBack(connection: DuckDBConnection): Promise<void> {
    try {
      // Ends a statement that nobody reads to its end, too. After a failure there may be no transaction.
      await connection.run("ROLLBACK").catch((cause: unknown) => {
        if (!/no transaction is active/i.test(String(cause))) throw cause;
      });
      idle.push(connection);
    } catch {
      connection.closeSync();
    }
  }

  return {
    async run(query, signal) {
      const stuck = Promise.withResolvers<never>();
      const first = collectFirst(answer(query, signal, stuck.reject), limits.answerBytes);
      const stream = await Promise.race([first, stuck.promise]);
      // Also where the reader has stopped to read: nothing else would wake the statement.
      const late = setTimeout(() => stream.destroy(tooLong(query.timeoutMs)), query.timeoutMs);
      stuck.promise.catch((cause: Error) => stream.destroy(cause));
      stream.once("close", () => clearTimeout(late));
      return stream;
    },
    endAll() {
      for (const own of running) end(own, new EngineBusy("the engine has too little memory"));
    },
    addGrowth(bytes) {
      for (const own of running) own.bytes += bytes / running.size;
    },
    endLargest() {
      const largest = findLargest([...running].filter((own) => !own.stop.signal.aborted));
      if (largest !== undefined) end(largest, memoryFailure(largest));
    },
    count: () => running.size,
    close() {
      planners.close();
      for (const connection of [...idle, ...[...running].map((own) => own.connection)]) connection.closeSync();
    },
  };
}

/** Of the workspace that took the most with all its statements. */
function findLargest(running: readonly Running[]): Running | undefined {
  const total = (workspaceId: string) =>
    running.filter((own) => own.workspaceId === workspaceId).reduce((sum, { bytes }) => sum + bytes, 0);
  return running.toSorted((a, b) => total(b.workspaceId) - total(a.workspaceId) || b.bytes - a.bytes)[0];
}

function tooLong(timeoutMs: number): StatementRefused {
  return new StatementRefused(`The query took longer than ${timeoutMs / 1000} s`);
}

function valuesOf({ readsProject }: PlannedStatement, { project }: UserQuery): Record<string, string> {
  return readsProject ? { project_id: project.id, first_day: project.firstDay } : {};
}

/** Rows up to `limit`; `rows` counts also the one after them. */
async function* readPieces(
  result: DuckDBResult,
  head: string,
  separator: string,
  limit: number,
): AsyncGenerator<{ bytes: Buffer; rows: number }> {
  let text = head;
  let rows = 0;
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    const vector = chunk.getColumnVector(0);
    const count = chunk.rowCount;
    for (let row = 0; row < count; row += 1) {
      rows += 1;
      if (rows > limit) break;
      text += (rows === 1 ? "" : separator) + String(vector.getItem(row));
      if (text.length < PIECE_CHARS) continue;
      yield { bytes: Buffer.from(text), rows };
      text = "";
    }
  }
  yield { bytes: Buffer.from(text), rows };
}

interface Counting {
  readonly connection: DuckDBConnection;
  readonly values: Record<string, string>;
  readonly least: number;
  readonly startedAt: number;
  readonly query: UserQuery;
}

/** All rows of a statement; `least` if counting them takes longer than the rest of the time. */
async function countRows(sql: string, { connection, values, least, startedAt, query }: Counting): Promise<number> {
  const leftMs = query.timeoutMs * 0.9 - (performance.now() - startedAt);
  let isLate = leftMs <= 0;
  if (isLate) return least;
  const timer = setTimeout(() => {
    isLate = true;
    connection.interrupt();
  }, leftMs);
  try {
    const reader = await connection.runAndReadAll(sql, values);
    return Math.max(least, Number(reader.getRows()[0]?.[0]));
  } catch (cause) {
    if (isLate) return least;
    throw cause;
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for the beginning of an answer, or for all of a small one, so that early failures are thrown. */
async function collectFirst(pieces: AsyncGenerator<Buffer>, mostBytes: number): Promise<Readable> {
  const first: Buffer[] = [];
  let bytes = 0;
  const refuseLong = () => {
    if (bytes > mostBytes) throw new StatementRefused(`The answer has more than ${mostBytes / 1024 ** 2} MB`);
  };
  try {
    while (bytes < WHOLE_BYTES) {
      const { value, done } = await pieces.next();
      if (done) return Readable.from(first, { objectMode: false });
      first.push(value);
      bytes += value.length;
      refuseLong();
    }
  } catch (cause) {
    await pieces.return(undefined);
    throw cause;
  }
  const all = async function* () {
    yield* first;
    for await (const piece of pieces) {
      bytes += piece.length;
      refuseLong();
      yield piece;
    }
  };
  return Readable.from(all(), { objectMode: false });
}

/** What the user did is refused with a message; the rest stays as it is. */
function toPublic(cause: unknown, sql: string, memoryFailure: (cause: unknown) => Error): unknown {
  if (cause instanceof StatementRefused || cause instanceof EngineBusy) return cause;
  const [line = ""] = cause instanceof Error ? cause.message.split("\n") : [];
  const [, kind = "", message = ""] = /^(?:Invalid )?([A-Z][\w ]+) Error: (.*)$/.exec(line) ?? [];
  if (kind === "INTERRUPT") return new EngineBusy("the statement was interrupted", { cause });
  if (/^(FATAL|IO|TransactionContext)/.test(kind) || kind === "") return cause;
  if (kind === "INTERNAL") return new StatementRefused("The engine cannot answer this query", { cause });
  if (kind === "Out of Memory") return memoryFailure(cause);
  return new StatementRefused(cleanMessage(message, sql), { cause });
}

const MACROS: ReadonlySet<string> = new Set(
  [...readSql(new URL("./functions.sql", import.meta.url)).matchAll(/MACRO (\w+)/g)].map(([, name = ""]) => name),
);

/** Names of our own making are not the user's. */
function cleanMessage(message: string, sql: string): string {
  return message
    .replaceAll(/\bcte (\w+)/g, "$1")
    .replaceAll(/\b\w+\b/g, (name) => (MACROS.has(name) && !sql.includes(name) ? "the function" : name))
    .slice(0, 300);
}
