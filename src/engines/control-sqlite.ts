import { accessSync, constants, existsSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from "kysely";
import { BoundedCache } from "../lib/bounded-cache.ts";
import { BACKENDS, type ControlEngine, ControlOpenError } from "./control.ts";
import { createWriteFailures } from "./write-failures.ts";

/** Long enough for a CLI command's transaction (milliseconds), and short enough to turn a stuck one into an error. */
const BUSY_TIMEOUT_MS = 5_000;
const BUSY_PAUSE_MS = 2;
const SQLITE_BUSY = 5;
const CACHED_STATEMENTS = 500;

/** SQLite's primary result codes that mean "not now": BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN. */
const UNAVAILABLE_CODES = new Set([5, 6, 8, 10, 13, 14]);

/**
 * Two connections to one file: with WAL a reader never waits for the writer, so that a read request is not delayed by a
 * transaction that awaits between two statements. `synchronous=FULL` makes each commit an fsync (0.1 ms measured).
 */
export function openSqlite<DB>(file: string): ControlEngine<DB> {
  const writer = open(file);
  const reader = open(file);
  reader.exec("PRAGMA query_only = 1");
  const writes = new Kysely<DB>({ dialect: new SqliteDialect({ database: adapt(writer, "begin immediate") }) });
  const reads = new Kysely<DB>({ dialect: new SqliteDialect({ database: adapt(reader, "begin") }) });
  const failures = createWriteFailures(isUnavailable);
  const write: ControlEngine<DB>["write"] = (work) =>
    failures.watch(whenFree(() => writes.transaction().execute(work)));
  return {
    name: "sqlite",
    backend: BACKENDS.sqlite,
    read: reads,
    write,
    upgrade: write,
    snapshot: (work) => reads.transaction().execute(work),
    writeFailure: failures.last,
    describeFailure,
    isUnavailable,
    async close() {
      await reads.destroy();
      await writes.destroy();
      // destroy() closes only connections that were used, and closing twice throws.
      for (const database of [reader, writer]) if (database.isOpen) database.close();
    },
  };
}

/**
 * Another process (a CLI command) may hold the write lock. SQLite would wait inside the call and block our event loop,
 * so its own wait is off and we retry. Only `begin immediate` can fail for the lock, before anything has run.
 */
async function whenFree<T>(run: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return await run();
    } catch (cause) {
      if ((cause as { errcode?: number }).errcode !== SQLITE_BUSY || performance.now() > giveUpAt) throw cause;
      await delay(BUSY_PAUSE_MS * (0.5 + Math.random()));
    }
  }
}

function open(file: string): DatabaseSync {
  try {
    if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
    const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
    // Reading the schema detects a file that is no database; quick_check would take seconds on a large one.
    database.prepare("select count(*) from sqlite_schema").get();
    database.exec("PRAGMA busy_timeout = 0");
    return database;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ControlOpenError(`cannot open the control store ${file}: ${why}`, cause);
  }
}

function codeOf(cause: unknown): number {
  const code = (cause as { errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code & 0xff : 0;
}

function isUnavailable(cause: unknown): boolean {
  return UNAVAILABLE_CODES.has(codeOf(cause));
}

const SQLITE_FULL = 13;
const SQLITE_READONLY = 8;

function describeFailure(cause: unknown): string {
  const code = codeOf(cause);
  if (code === SQLITE_FULL) return "takes no writes: the disk is full";
  return code === SQLITE_READONLY ? "takes no writes: the file is read-only" : "takes no writes";
}

/**
 * Adapts node:sqlite to Kysely's SQLite dialect. Written by hand: Kysely has no node:sqlite dialect, and the published
 * ones pin older Kysely majors. `begin immediate` takes the write lock at once: a transaction that reads first and
 * writes later could otherwise fail because the CLI wrote in between.
 */
function adapt(database: DatabaseSync, begin: string): SqliteDatabase {
  const cache = new BoundedCache<SqliteStatement>(CACHED_STATEMENTS);
  return {
    close: () => database.close(),
    prepare(text) {
      const known = cache.find(text);
      if (known) return known;
      const statement =
        text === "rollback" ? rollback(database) : wrap(database.prepare(text === "begin" ? begin : text));
      cache.put(text, statement);
      return statement;
    },
  };
}

/** On a full disk SQLite rolls back by itself. A second rollback would fail, and its error would hide the cause. */
function rollback(database: DatabaseSync): SqliteStatement {
  const statement = wrap(database.prepare("rollback"));
  const nothing = { changes: 0, lastInsertRowid: 0 };
  return { ...statement, run: (parameters) => (database.isTransaction ? statement.run(parameters) : nothing) };
}

function wrap(statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}
