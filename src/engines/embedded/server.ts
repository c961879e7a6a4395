import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { EMPTY_BODY } from "./body.ts";
import { EngineException } from "./exceptions.ts";
import type { ReadStatement } from "./known-statements.ts";
import type { EngineLimits } from "./limits.ts";
import { isReadonly, type ReadonlyGuard } from "./readonly.ts";
import {
  type Credentials,
  createIsAllowed,
  type EngineRequest,
  findTarget,
  type IsAllowed,
  queryId,
  readRequest,
  type Target,
} from "./request.ts";
import { pickEncoding, type Reply, sendFailure, sendRun, sendWhole } from "./respond.ts";
import type { Runner } from "./run.ts";
import { refuseRaisedCaps } from "./settings.ts";
import type { Spool } from "./spool.ts";

/** The ClickHouse HTTP protocol, as far as its clients use it, on loopback. */
export interface ServerDeps {
  readonly runner: Runner;
  readonly spool: Spool;
  readonly limits: EngineLimits;
  readonly credentials: Credentials;
  readonly guard: ReadonlyGuard;
  readonly readStatement: ReadStatement;
  readonly version: string;
  readonly timezone: string;
}

/** Parameters travel in the request line; ClickHouse's own bound for it is 1 MiB. */
const MAX_HEADER_BYTES = 1024 ** 2;
const HEADERS_MS = 10_000;
const REQUEST_MS = 120_000;
/** Longer than the client keeps an idle socket (5 s), so that it is always the client that closes. */
const KEEP_ALIVE_MS = 60_000;
const MAX_CONNECTIONS = 512;
/** Every report fits; a larger answer starts to stream here. */
const HOLD_BYTES = 256 * 1024;
const MAX_HOLD_BYTES = 64 * 1024 ** 2;

export interface Listener {
  readonly port: number;
  /** No new connections; resolves when the answers under way are out, or after `ms`. */
  close(ms: number): Promise<void>;
}

export async function listen(deps: ServerDeps, port: number): Promise<Listener> {
  const answering = new Set<Promise<void>>();
  const isAllowed = createIsAllowed(deps.credentials);
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 5_000,
    },
    (request, response) => {
      const work = answer(deps, isAllowed, request, response).finally(() => answering.delete(work));
      answering.add(work);
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    async close(ms) {
      server.close();
      await Promise.race([Promise.allSettled(answering), sleep(ms, undefined, { ref: false })]);
    },
  };
}

async function answer(
  deps: ServerDeps,
  isAllowed: IsAllowed,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // A client that closes early makes the request or the response fail; 'close' below is where that is acted on.
  response.on("error", () => response.destroy());
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort(new Error("the client went away"));
  });
  try {
    const target = findTarget(request.url ?? "/");
    response.setHeader("X-ClickHouse-Server-Display-Name", "sextant");
    response.setHeader("X-ClickHouse-Timezone", deps.timezone);
    if (isLiveness(request, target)) {
      response.setHeader("Content-Type", "text/html; charset=UTF-8");
      response.end("Ok.\n");
      return;
    }
    response.setHeader("X-ClickHouse-Query-Id", queryId(target));
    checkRoute(request, target);
    if (!isAllowed(request.headers, target)) throw notAllowed();
    await query(deps, request, response, target, gone.signal);
  } catch (cause) {
    if (response.destroyed) return;
    // Past the first byte there is no status left to give: the cut connection is the answer.
    if (response.headersSent) response.destroy();
    else await sendFailure(response, cause, deps.version);
  }
}

async function query(
  deps: ServerDeps,
  request: IncomingMessage,
  response: ServerResponse,
  target: Target,
  gone: AbortSignal,
): Promise<void> {
  const asked = await readRequest(request, target, deps.limits, deps.readStatement);
  const { statement, format, sets, database } = asked;
  if (isReadonly(sets.settings.get("readonly"))) deps.guard(statement);
  refuseRaisedCaps(statement, deps.limits);
  const encoding = pickEncoding(target.params, request.headers["accept-encoding"]);
  const reply: Reply = { response, format, encoding, holdBytes: holdBytes(target) };
  if (statement.kind === "insert") return insert(deps, asked, reply);
  if (statement.kind === "plain") {
    refuseKillSync(statement.sql, statement.keyword);
    const result = await deps.runner.plain(statement, format, sets, database, gone);
    return sendWhole(reply, Buffer.from(result.bytes), result, 0);
  }
  const run = await deps.runner.select(statement, format, sets, database, gone);
  const cancel = (): void => run.cancel();
  gone.addEventListener("abort", cancel, { once: true });
  if (gone.aborted) cancel();
  try {
    await sendRun(reply, run, deps.version);
  } catch (cause) {
    run.cancel();
    throw cause;
  } finally {
    gone.removeEventListener("abort", cancel);
  }
}

async function insert(deps: ServerDeps, asked: EngineRequest, reply: Reply): Promise<void> {
  const { statement, format, sets, database, rows } = asked;
  if (statement.kind !== "insert") return;
  // No rows at all is a success, but the table and the columns are still checked; not every format reads an empty file.
  const empty = rows.ended && rows.head.length === 0;
  const path = await deps.spool.keep(empty ? EMPTY_BODY : rows);
  try {
    const result = await deps.runner.insert(statement, empty ? "JSONEachRow" : format, path, sets, database);
    await sendWhole({ ...reply, encoding: undefined }, Buffer.alloc(0), result, result.rowsRead);
  } finally {
    await deps.spool.drop(path);
  }
}

function isLiveness(request: IncomingMessage, { path, params }: Target): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  if (path === "/ping" || path === "/replicas_status") return true;
  return path === "/" && !params.has("query");
}

function checkRoute(request: IncomingMessage, { path }: Target): void {
  if (path !== "/") throw new EngineException(48, "NOT_IMPLEMENTED", `There is no handle ${path}.`);
  if (request.method !== "GET" && request.method !== "POST") {
    throw new EngineException(48, "NOT_IMPLEMENTED", `There is no handle for ${request.method ?? "this method"}.`);
  }
}

function notAllowed(): EngineException {
  const message = "Authentication failed: password is incorrect, or there is no user with such name.";
  return new EngineException(516, "AUTHENTICATION_FAILED", message);
}

/** KILL ... SYNC was seen to wait for ever inside the engine. */
function refuseKillSync(sql: string, keyword: string): void {
  if (keyword !== "kill" || !/\bsync\s*$/i.test(sql)) return;
  throw new EngineException(48, "NOT_IMPLEMENTED", "KILL ... SYNC is not supported; use ASYNC.");
}

function holdBytes({ params }: Target): number {
  const wait = params.get("wait_end_of_query") ?? params.get("http_wait_end_of_query");
  if (wait === "1" || wait === "true") return MAX_HOLD_BYTES;
  const asked = Number(params.get("buffer_size") ?? params.get("http_response_buffer_size") ?? 0);
  return Number.isFinite(asked) ? Math.min(Math.max(asked, HOLD_BYTES), MAX_HOLD_BYTES) : HOLD_BYTES;
}
