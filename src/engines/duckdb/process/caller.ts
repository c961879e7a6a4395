/** Calls the engine's process: reads over kept connections (kept-connections.ts), everything else over HTTP. */
import { once } from "node:events";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "../../../lib/undici.ts";
import { CursorMoved } from "../../batch.ts";
import { EngineBusy, EngineDown, EngineRefused, isFailure } from "../../failures.ts";
import type { Progress } from "../../maintenance.ts";
import { StatementRefused } from "../../user-sql/statement-refused.ts";
import { keepConnections, NoFrames } from "./kept-connections.ts";
import { type ClientOptions, encodeCall, type Line } from "./protocol.ts";

type Body = Readable & { text(): Promise<string> };

interface Sent {
  /** A batch is sent in parts: joining them would copy 25 MB on the thread that answers requests. */
  readonly body: string | readonly Buffer[];
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: Progress | undefined;
}

export interface Caller {
  send(path: string, sent: Sent): Promise<unknown>;
  call(path: string, args: readonly unknown[], nodeId?: string): Promise<unknown>;
  /** A read. */
  select(args: readonly unknown[]): Promise<unknown>;
  /** Resolves with the bytes after the first line. */
  stream(path: string, args: readonly unknown[]): Promise<Readable>;
  /** Asks a second time if the engine is restarted for somebody else's statement. Only for calls that change nothing. */
  again<T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The engine restarts for the statement of somebody else. */
class EngineRestarts extends EngineDown {}

/** The names of calls change between versions. Within a service they are those of one program. */
const ANOTHER_VERSION =
  "the service that runs on this data directory is of another version: use its own sextant command, or stop it first";
const CONNECTIONS = 64;
const PING_AGAIN_MS = 50;
/** A restart takes 0.2 s, and 10 ms for each MB of the write-ahead log. */
const RESTART_MS = 10_000;

export function createCaller({ url, token }: ClientOptions): Caller {
  const pools = createPools(url);
  const kept = keepConnections({ url, token });

  const post = (path: string, { body, signal }: Sent) =>
    pools.get().request({
      method: "POST",
      path: `/${path}`,
      headers: { authorization: `Bearer ${token}`, "content-length": String(lengthOf(body)) },
      body: typeof body === "string" ? body : Readable.from(body),
      ...(signal ? { signal } : {}),
    });

  async function send(path: string, sent: Sent): Promise<unknown> {
    const last = await unlessDown(sent.signal, async () => {
      const { statusCode, body } = await post(path, sent);
      if (statusCode === 404) throw new EngineDown(ANOTHER_VERSION);
      if (statusCode !== 200) throw new Error(`the engine answered ${path} with ${statusCode}`);
      return readLines(body, sent.onProgress);
    });
    return resultOf(last);
  }

  async function select(args: readonly unknown[]): Promise<unknown> {
    const { body, signal } = encodeCall("", args);
    return resultOf(JSON.parse(await unlessDown(signal, () => kept.ask(body, signal))) as Line);
  }

  async function stream(path: string, args: readonly unknown[]): Promise<Readable> {
    const sent = encodeCall("", args);
    return unlessDown(sent.signal, async () => {
      const { body } = await post(path, sent);
      const first = await readLine(body);
      if (!("failure" in first)) return body;
      await body.dump();
      throw toError(first.failure);
    });
  }

  async function ping(): Promise<void> {
    await unlessDown(undefined, async () => {
      const { body } = await pools.get().request({ method: "GET", path: "/ping", headersTimeout: 5_000 });
      await body.dump();
    });
  }

  const call: Caller["call"] = (path, args, nodeId = "") => send(path, encodeCall(nodeId, args));
  const leave = (used: Pool) => {
    pools.leave(used);
    kept.leave();
  };
  const close = () => {
    kept.close();
    return pools.close();
  };
  return { send, call, select, stream, again: createAgain(pools.get, leave, ping), ping, close };
}

function resultOf(last: Line | undefined): unknown {
  if (last === undefined || "progress" in last) throw new EngineDown("the answer of the engine is incomplete");
  if ("failure" in last) throw toError(last.failure);
  return last.result;
}

function lengthOf(body: Sent["body"]): number {
  return typeof body === "string" ? Buffer.byteLength(body) : body.reduce((sum, part) => sum + part.length, 0);
}

function createAgain(get: () => Pool, leave: (used: Pool) => void, ping: Caller["ping"]): Caller["again"] {
  return async (ask, signal) => {
    const used = get();
    try {
      return await ask();
    } catch (cause) {
      if (!(cause instanceof EngineRestarts)) throw cause;
      // Its connections lead to the process that ends.
      leave(used);
      if (await isBack(ping, signal)) return ask();
      throw cause;
    }
  };
}

/** Waits for the engine to answer again. */
async function isBack(ping: () => Promise<void>, signal: AbortSignal | undefined): Promise<boolean> {
  const deadline = performance.now() + RESTART_MS;
  while (performance.now() < deadline) {
    await delay(PING_AGAIN_MS, undefined, signal ? { signal } : {});
    const isThere = await ping().then(
      () => true,
      () => false,
    );
    if (isThere) return true;
  }
  return false;
}

/** One pool, for the current address. */
function createPools(url: () => string) {
  let at = "";
  let pool: Pool | undefined;
  let closing: Promise<unknown> = Promise.resolve();

  function leave(left: Pool | undefined): void {
    if (pool === undefined || left !== pool) return;
    closing = Promise.allSettled([closing, pool.close()]);
    pool = undefined;
  }

  return {
    leave,
    get(): Pool {
      const wanted = url();
      if (pool !== undefined && wanted === at) return pool;
      leave(pool);
      at = wanted;
      // No time limits here: a rebuild may take any time, and the engine ends a query that takes too long.
      pool = new Pool(wanted, { connections: CONNECTIONS, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 5_000 });
      return pool;
    },
    async close(): Promise<void> {
      await closing;
      await pool?.destroy();
    },
  };
}

/** What is neither the caller's end nor an answer of the engine means that it is down. */
async function unlessDown<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  try {
    return await work();
  } catch (cause) {
    signal?.throwIfAborted();
    if (isFailure(cause) || cause instanceof StatementRefused) throw cause;
    if (cause instanceof NoFrames) throw new EngineDown(ANOTHER_VERSION, { cause });
    throw new EngineDown((cause as Error).message, { cause });
  }
}

/** Reports progress and resolves with the last line. */
async function readLines(body: Body, onProgress: Progress | undefined): Promise<Line | undefined> {
  let last: Line | undefined;
  // Without progress there is one line: read whole, it takes no turn of the loop for each piece.
  if (onProgress === undefined) return lastLine(await body.text());
  let rest = "";
  body.setEncoding("utf8");
  for await (const chunk of body as AsyncIterable<string>) {
    rest += chunk;
    if (!chunk.includes("\n")) continue;
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) {
      last = JSON.parse(text) as Line;
      if ("progress" in last) onProgress?.(...last.progress);
    }
  }
  return last;
}

function lastLine(text: string): Line | undefined {
  const lines = text.split("\n");
  // What follows the last line break is incomplete.
  const last = lines.at(-2);
  return last === undefined ? undefined : (JSON.parse(last) as Line);
}

/** Reads the first line of an answer and leaves the rest. */
async function readLine(body: Readable): Promise<Line> {
  let line = Buffer.alloc(0);
  for (;;) {
    const chunk = body.read() as Buffer | null;
    if (chunk === null) {
      if (body.readableEnded || body.destroyed) throw new Error("the answer of the engine is incomplete");
      await once(body, "readable");
      continue;
    }
    line = Buffer.concat([line, chunk]);
    const end = line.indexOf(0x0a);
    if (end === -1) continue;
    body.unshift(line.subarray(end + 1));
    return JSON.parse(line.toString("utf8", 0, end)) as Line;
  }
}

function toError({ kind, message }: Extract<Line, { failure: unknown }>["failure"]): Error {
  if (kind === "moved") return new CursorMoved(message);
  if (kind === "busy") return new EngineBusy(message);
  if (kind === "restarting") return new EngineRestarts(message);
  if (kind === "statement") return new StatementRefused(message);
  return new EngineRefused(message);
}
