/**
 * Runs statements of users on connections of their own, each in a transaction that cannot write. Time and memory are
 * limited from outside: DuckDB has no limit for one query.
 */
import { Readable } from "node:stream";
import type { DuckDBConnection, DuckDBInstance, DuckDBResult } from "@duckdb/node-api";
import { createSemaphore, WaitTimeout } from "../../../lib/semaphore.ts";
import { readSql } from "../../../lib/sql.ts";
import { EngineBusy } from "../../failures.ts";
import { StatementRefused } from "../../statement-refused.ts";
import { FORMATS, uniqueNames } from "../../user-sql/formats.ts";
import type { RunUserQuery, UserQuery } from "../../user-sql/user-query.ts";
import { announceTypes, type ResultColumn, rowsAsText, shownType } from "./answer-rows.ts";
import type { CheckedStatement } from "./check-statement.ts";
import { openRebuilder, type Rebuilder } from "./rebuild.ts";

export interface UserQueryLimits {
  /** Statements that run at once. */
  readonly running: number;
  readonly answerBytes: number;
}

export interface UserQueries {
  run: RunUserQuery;
  /** Ends all running statements, for the reason that users see. */
  endAll(reason: string): void;
  /** The number of running statements. */
  count(): number;
  close(): void;
}

/** Up to this size an answer is complete before it is sent: then a failure at its end is still an error. */
const WHOLE_BYTES = 1024 * 1024;
/** A piece of an answer: between two of them the process does other work. */
const PIECE_CHARS = 128 * 1024;

interface Running {
  readonly connection: DuckDBConnection;
  /** Why the statement was ended. */
  reason: string | undefined;
}

export function createUserQueries(instance: DuckDBInstance, limits: UserQueryLimits): UserQueries {
  let opening: Promise<Rebuilder> | undefined;
  const idle: DuckDBConnection[] = [];
  const running = new Set<Running>();
  const places = createSemaphore({ perKey: Math.max(1, limits.running - 1), total: limits.running, waitMs: 30_000 });

  /** Opened by the first statement: it takes 0.1 s, and many installations never run one. */
  async function getRebuilder(): Promise<Rebuilder> {
    opening ??= openRebuilder();
    try {
      return await opening;
    } catch (cause) {
      opening = undefined;
      throw cause;
    }
  }

  async function take(workspaceId: string, signal: AbortSignal): Promise<() => void> {
    try {
      return await places.acquire(workspaceId, signal);
    } catch (cause) {
      if (cause instanceof WaitTimeout) throw new EngineBusy("no place for a statement", { cause });
      throw cause;
    }
  }

  /** Pieces of the answer. The caller may stop at any of them. */
  async function* answer(query: UserQuery, signal: AbortSignal): AsyncGenerator<Buffer> {
    const rebuilder = await getRebuilder();
    const release = await take(query.workspaceId, signal);
    const startedAt = performance.now();
    const own: Running = { connection: idle.pop() ?? (await instance.connect()), reason: undefined };
    const end = (reason: string) => {
      own.reason ??= reason;
      own.connection.interrupt();
    };
    const onAbort = () => end("The client is gone");
    const timer = setTimeout(() => end(tooLong(query.timeoutMs)), query.timeoutMs);
    signal.addEventListener("abort", onAbort, { once: true });
    running.add(own);
    try {
      yield* execute(rebuilder, own, query, startedAt);
    } catch (cause) {
      signal.throwIfAborted();
      throw toPublic(cause, own.reason, query.sql);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      running.delete(own);
      await putBack(own.connection);
      release();
    }
  }

  async function* execute(
    rebuilder: Rebuilder,
    own: Running,
    query: UserQuery,
    startedAt: number,
  ): AsyncGenerator<Buffer> {
    const { connection } = own;
    const goOn = () => {
      if (own.reason !== undefined) throw new StatementRefused(own.reason);
    };
    const statement = await rebuilder.check(query);
    const values = valuesOf(statement, query);
    goOn();
    await connection.run("BEGIN TRANSACTION READ ONLY");
    const columns = announceTypes(statement.page, await readColumns(connection, await rebuilder.print(statement.page)));
    goOn();
    const sql = await rebuilder.print(rowsAsText(statement.page, columns, query.format));
    const result = await connection.stream(sql, values);
    const format = FORMATS[query.format];
    const shown = columns.map((column) => ({ name: column.name, type: shownType(column) }));
    let rows = 0;
    for await (const piece of readPieces(result, format.head(shown), format.separator, statement.limit)) {
      goOn();
      rows = piece.rows;
      yield piece.bytes;
    }
    goOn();
    const hasMore = rows > statement.limit;
    const returned = Math.min(rows, statement.limit);
    const least = rows === 0 ? 0 : statement.offset + rows;
    const isKnown = !hasMore && (returned > 0 || statement.offset === 0);
    const total =
      isKnown || !format.needsTotal
        ? least
        : await countRows(await rebuilder.print(statement.total), { connection, values, least, startedAt, query });
    goOn();
    const { limit, offset, hasLimit } = statement;
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
      const stream = await collectFirst(answer(query, signal), limits.answerBytes);
      // Also where the reader has stopped to read: nothing else would wake the statement.
      const late = setTimeout(() => stream.destroy(new StatementRefused(tooLong(query.timeoutMs))), query.timeoutMs);
      stream.once("close", () => clearTimeout(late));
      return stream;
    },
    endAll(reason) {
      for (const own of running) {
        own.reason ??= reason;
        own.connection.interrupt();
      }
    },
    count: () => running.size,
    close() {
      void opening?.then((rebuilder) => rebuilder.close());
      for (const connection of [...idle, ...[...running].map((own) => own.connection)]) connection.closeSync();
    },
  };
}

function tooLong(timeoutMs: number): string {
  return `The query took longer than ${timeoutMs / 1000} s`;
}

function valuesOf({ readsProject }: CheckedStatement, { project }: UserQuery): Record<string, string> {
  return readsProject ? { project_id: project.id, first_day: project.firstDay } : {};
}

async function readColumns(connection: DuckDBConnection, sql: string): Promise<ResultColumn[]> {
  const prepared = await connection.prepare(sql);
  try {
    const at = Array.from({ length: prepared.columnCount }, (_, index) => index);
    const names = uniqueNames(at.map((index) => prepared.columnName(index)));
    return at.map((index) => ({ name: names[index] ?? "", duckdbType: prepared.columnType(index) }));
  } finally {
    prepared.destroySync();
  }
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
function toPublic(cause: unknown, reason: string | undefined, sql: string): unknown {
  if (cause instanceof StatementRefused || cause instanceof EngineBusy) return cause;
  if (reason !== undefined) return new StatementRefused(reason, { cause });
  const [line = ""] = cause instanceof Error ? cause.message.split("\n") : [];
  const [, kind = "", message = ""] = /^(?:Invalid )?([A-Z][\w ]+) Error: (.*)$/.exec(line) ?? [];
  if (kind === "INTERRUPT") return new EngineBusy("the statement was interrupted", { cause });
  if (/^(FATAL|IO|TransactionContext)/.test(kind) || kind === "") return cause;
  if (kind === "INTERNAL") return new StatementRefused("The engine cannot answer this query", { cause });
  if (kind === "Out of Memory")
    return new StatementRefused("The query needs more memory than a query may use", { cause });
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
