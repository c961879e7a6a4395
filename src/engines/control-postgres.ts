import { setTimeout as delay } from "node:timers/promises";
import { Kysely, PostgresDialect, type PostgresPool, sql, type Transaction } from "kysely";
import pg from "pg";
import { BACKENDS, type ControlEngine, ControlOpenError } from "./control.ts";
import { createWriteFailures } from "./write-failures.ts";

const POOL_SIZE = 20;
const CONNECT_TIMEOUT_MS = 5_000;
/**
 * The limits of one statement of a request. The server's limit does not help when the server hangs, so that the client
 * has its own.
 */
const TIMEOUTS = { server: 15_000, client: 18_000 };
const IDLE_TRANSACTION_MS = 15_000;
/** Three tries resolve nearly every deadlock or serialization conflict, and still bound the time of one request. */
const TRANSACTION_TRIES = 3;
const RETRY_PAUSE_MS = 20;

/** Classes of SQLSTATE that mean "not now": connection failure, resources, operator intervention, read-only server. */
const UNAVAILABLE_CLASSES = ["08", "53", "57"];
const UNAVAILABLE_STATES = new Set(["25006", "40001", "40P01", "55P03"]);
const NETWORK_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
]);

interface PoolLog {
  warn(fields: object, message: string): void;
}

export async function openPostgres<DB>(
  url: string,
  log: PoolLog,
  timeouts: { server: number; client: number } = TIMEOUTS,
): Promise<ControlEngine<DB>> {
  const limits = { statement_timeout: timeouts.server, query_timeout: timeouts.client };
  const failures = createWriteFailures(isUnavailable);
  const db = connect<DB>({ connectionString: url, max: POOL_SIZE, ...limits }, log, () => isReadOnly(failures.last()));
  try {
    await sql`select 1`.execute(db);
  } catch (cause) {
    await db.destroy();
    throw new ControlOpenError(`cannot reach PostgreSQL at ${withoutPassword(url)}: ${describe(cause)}`, cause);
  }
  return {
    name: "postgres",
    backend: BACKENDS.postgres,
    read: db,
    write: (work) => failures.watch(transact(db, work)),
    async upgrade(work) {
      const patient = connect<DB>({ connectionString: url, max: 1 }, log);
      try {
        return await transact(patient, work);
      } finally {
        await patient.destroy();
      }
    },
    snapshot: (work) => db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(work),
    writeFailure: failures.last,
    describeFailure,
    isUnavailable,
    close: () => db.destroy(),
  };
}

/**
 * `isStale`: a released connection is closed instead of reused. After a failover it may lead to a server that became
 * read-only.
 */
function connect<DB>(options: pg.PoolConfig, log: PoolLog, isStale: () => boolean = () => false): Kysely<DB> {
  const pool = new pg.Pool({
    ...options,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    application_name: "sextant",
    keepAlive: true,
    types: { getTypeParser },
  });
  // Without a listener an idle connection that the server closes would end the whole process.
  pool.on("error", (cause) => log.warn({ err: cause }, "an idle PostgreSQL connection was lost"));
  // A connection that fails during a query rejects the query; without this listener it would also end the process.
  pool.on("connect", (client) => {
    client.on("error", (cause) => log.warn({ err: cause }, "a PostgreSQL connection was lost"));
  });
  const renewing = {
    async connect() {
      const client = await pool.connect();
      const release = client.release.bind(client);
      client.release = (destroy) => release(destroy || isStale());
      return client;
    },
    end: () => pool.end(),
    options: pool.options,
  };
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool: renewing as PostgresPool }) });
}

async function transact<DB, T>(db: Kysely<DB>, work: (tx: Transaction<DB>) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (cause) {
      if (attempt === TRANSACTION_TRIES || !isConflict(cause)) throw cause;
      await delay(RETRY_PAUSE_MS * attempt * (0.5 + Math.random()));
    }
  }
}

/** int8 arrives as text by default; our counts and epoch milliseconds all fit a double exactly. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: unknown) => {
  if (oid === pg.types.builtins.INT8) return Number as never;
  return pg.types.getTypeParser(oid, format as never);
};

function codeOf(cause: unknown): string {
  const code = (cause as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

function isConflict(cause: unknown): boolean {
  return codeOf(cause) === "40001" || codeOf(cause) === "40P01";
}

function isUnavailable(cause: unknown): boolean {
  const code = codeOf(cause);
  if (NETWORK_CODES.has(code) || UNAVAILABLE_STATES.has(code)) return true;
  if (code.length === 5 && UNAVAILABLE_CLASSES.includes(code.slice(0, 2))) return true;
  // pg throws these without a code when a socket closes during a query or the pool is exhausted.
  return (
    cause instanceof Error &&
    /Connection terminated|not queryable|Query read timeout|timeout exceeded when trying to connect/.test(cause.message)
  );
}

const READ_ONLY = "25006";
const DISK_FULL = "53100";

function isReadOnly(cause: unknown): boolean {
  return codeOf(cause) === READ_ONLY;
}

function describeFailure(cause: unknown): string {
  if (isReadOnly(cause)) return "takes no writes: the server is read-only";
  if (codeOf(cause) === DISK_FULL) return "takes no writes: the server's disk is full";
  return isUnavailable(cause) ? "does not answer" : "takes no writes";
}

function describe(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(describe).join("; ");
  return cause instanceof Error ? cause.message : String(cause);
}

function withoutPassword(url: string): string {
  try {
    const parsed = new URL(url);
    return `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
  } catch {
    return "the address of SEXTANT_DATABASE_URL";
  }
}
