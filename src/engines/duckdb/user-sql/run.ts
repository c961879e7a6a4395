/**
 * Runs statements of users on connections of their own, each in a transaction that cannot write. Time and memory are
 * limited from outside: DuckDB has no limit for one query, and not every step of a statement hears an interrupt. One that
 * runs on after its limit costs the engine its process (`onStuck`).
 */
import { Readable } from "node:stream";
import type { DuckDBConnection } from "@duckdb/node-api";
import { createSemaphore, type Semaphore, WaitTimeout } from "../../../lib/semaphore.ts";
import { readSql } from "../../../lib/sql.ts";
import { EngineBusy } from "../../failures.ts";
import { StatementRefused } from "../../user-sql/statement-refused.ts";
import type { RunUserQuery, UserQuery } from "../../user-sql/user-query.ts";
import type { OpenFile } from "../open-file.ts";
import { execute } from "./execute.ts";
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
  /**
   * Ends the largest statement of the workspace whose statements took the most memory. While one that is known to have
   * taken much was ended and has not heard it, the memory is its: beside it only one is ended that may have taken as much.
   */
  endLargest(): void;
  /** The number of running statements. */
  count(): number;
  close(): void;
}

/** Up to this size an answer is complete before it is sent: then a failure at its end is still an error. */
const WHOLE_BYTES = 1024 * 1024;
const TOO_MUCH = "The query needs more memory than a query may use";

interface Running {
  readonly workspaceId: string;
  readonly connection: DuckDBConnection;
  /** Aborted when the statement is ended, with the error that its caller sees. */
  readonly stop: AbortController;
  /** The memory that it took, as far as it can be told. */
  bytes: number;
}

interface Statements {
  readonly connect: OpenFile["connect"];
  readonly limits: UserQueryLimits;
  /** A statement runs on after it was ended. */
  readonly onStuck: (workspaceId: string) => void;
  readonly planners: ReturnType<typeof createPlanners>;
  readonly places: Semaphore;
  readonly idle: DuckDBConnection[];
  readonly running: Set<Running>;
}

export function createUserQueries(
  { connect }: Pick<OpenFile, "connect">,
  limits: UserQueryLimits,
  onStuck: Statements["onStuck"],
): UserQueries {
  const planners = createPlanners();
  const places = createSemaphore({ perKey: Math.max(1, limits.running - 1), total: limits.running, waitMs: 30_000 });
  const all: Statements = { connect, limits, onStuck, planners, places, idle: [], running: new Set() };
  const { running, idle } = all;
  return {
    run: (query, signal) =>
      startAnswer((ends) => answer(all, query, signal, ends), query.timeoutMs, limits.answerBytes),
    endAll() {
      for (const own of running) end(own, new EngineBusy("the engine has too little memory"));
    },
    addGrowth(bytes) {
      for (const own of running) own.bytes += bytes / running.size;
    },
    endLargest() {
      const ended = [...running].filter((own) => own.stop.signal.aborted);
      const isTheirs = ended.some(({ bytes }) => bytes > limits.blameBytes);
      // What the memory grew by was shared out among all that run.
      const mayBeMore = ({ bytes }: Running) => bytes * running.size > limits.blameBytes;
      const going = [...running].filter((own) => !ended.includes(own) && (!isTheirs || mayBeMore(own)));
      const largest = findLargest(going);
      if (largest !== undefined) end(largest, memoryFailure(all, largest));
    },
    count: () => running.size,
    close() {
      planners.close();
      for (const connection of [...idle, ...[...running].map((own) => own.connection)]) connection.closeSync();
    },
  };
}

/** What happens to a statement that takes too long. */
interface Ends {
  /** Its time is over. One whose answer nobody reads on does not hear it. */
  late(cause: Error): void;
  /** It runs on after that. */
  giveUp(cause: Error): void;
}

/** Pieces of the answer. The caller may stop at any of them. */
async function* answer(
  all: Statements,
  query: UserQuery,
  signal: AbortSignal,
  { late, giveUp }: Ends,
): AsyncGenerator<Buffer> {
  const { workspaceId, timeoutMs } = query;
  const release = await takePlace(all.places, workspaceId, signal);
  const startedAt = performance.now();
  const connection = all.idle.pop() ?? (await all.connect());
  const own: Running = { workspaceId, connection, stop: new AbortController(), bytes: 0 };
  const onAbort = () => end(own, new StatementRefused("The client is gone"));
  const limit = startLimit(own, timeoutMs, all.limits.stuckMs, {
    late,
    giveUp(cause) {
      giveUp(cause);
      all.onStuck(workspaceId);
    },
  });
  signal.addEventListener("abort", onAbort, { once: true });
  all.running.add(own);
  try {
    yield* execute({ planners: all.planners, connection, stop: own.stop.signal }, query, startedAt);
  } catch (cause) {
    signal.throwIfAborted();
    own.stop.signal.throwIfAborted();
    throw toPublic(cause, query.sql, (memory) => memoryFailure(all, own, memory));
  } finally {
    limit.answered();
    signal.removeEventListener("abort", onAbort);
    all.running.delete(own);
    if (await isReusable(connection)) all.idle.push(connection);
    limit.ended();
    release();
  }
}

/** Whoever runs alone is to blame: reports leave this memory to statements. */
function memoryFailure({ running, limits }: Statements, { bytes }: Running, cause?: unknown): Error {
  const isToBlame = running.size <= 1 || bytes > limits.blameBytes;
  return isToBlame ? new StatementRefused(TOO_MUCH, { cause }) : new EngineBusy("too little memory", { cause });
}

function end(own: Running, why: Error): void {
  own.stop.abort(why);
  own.connection.interrupt();
}

/** Ends a statement after its time, and gives it up when it runs on for `stuckMs`: until the connection is free. */
function startLimit(own: Running, timeoutMs: number, stuckMs: number, { late, giveUp }: Ends) {
  let stuck: NodeJS.Timeout | undefined;
  const timer = setTimeout(() => {
    const cause = tooLong(timeoutMs);
    end(own, cause);
    late(cause);
    stuck = setTimeout(() => giveUp(cause), stuckMs);
  }, timeoutMs);
  return { answered: () => clearTimeout(timer), ended: () => clearTimeout(stuck) };
}

async function takePlace(places: Semaphore, workspaceId: string, signal: AbortSignal): Promise<() => void> {
  try {
    return await places.acquire(workspaceId, signal);
  } catch (cause) {
    if (cause instanceof WaitTimeout) throw new EngineBusy("no place for a statement", { cause });
    throw cause;
  }
}

/** Ends the transaction and says whether the connection can be used again; closes it otherwise. */
async function isReusable(connection: DuckDBConnection): Promise<boolean> {
  try {
    // Ends a statement that nobody reads to its end, too. After a failure there may be no transaction.
    await connection.run("ROLLBACK").catch((cause: unknown) => {
      if (!/no transaction is active/i.test(String(cause))) throw cause;
    });
    return true;
  } catch {
    connection.closeSync();
    return false;
  }
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

async function startAnswer(
  answer: (ends: Ends) => AsyncGenerator<Buffer>,
  timeoutMs: number,
  mostBytes: number,
): Promise<Readable> {
  const stuck = Promise.withResolvers<never>();
  const late = Promise.withResolvers<Error>();
  const pieces = answer({ late: late.resolve, giveUp: stuck.reject });
  const stream = await Promise.race([collectFirst(pieces, mostBytes), stuck.promise]);
  // Where the reader has stopped to read nothing else would wake the statement, and it would be given up as one that runs on.
  void late.promise.then((cause) => stream.destroy(cause));
  // The statement has ended, and its answer still waits to be read.
  const unread = setTimeout(() => stream.destroy(tooLong(timeoutMs)), timeoutMs);
  stuck.promise.catch((cause: Error) => stream.destroy(cause));
  stream.once("close", () => clearTimeout(unread));
  return stream;
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
  const stream = Readable.from(all(), { objectMode: false });
  // One that is left before its first byte was read never begins `all`, which would leave the statement and its place.
  return stream.once("close", () => void pieces.return(undefined).catch(() => undefined));
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
