/** The engine port, implemented over HTTP to the engine's process. The service and CLI commands use it. */
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "../../lib/undici.ts";
import { EngineBusy, EngineDown, EngineRefused, isFailure } from "../failures.ts";
import {
  type AnalyticsEngine,
  type BatchStore,
  type BatchStoreOptions,
  CursorMoved,
  type LogPosition,
  type Selected,
  type SelectOptions,
  type StoredBatch,
} from "../port.ts";
import { StatementRefused } from "../statement-refused.ts";
import { NEWEST_SCHEMA } from "./newest-schema.ts";
import { encodeBatch, type Line, type Method } from "./protocol.ts";
import { createRelations } from "./relations.ts";

export interface ClientOptions {
  /** Called before each request: a restarted engine may have another address. */
  url(): string;
  readonly token: string;
}

/** The engine restarts for the statement of somebody else. */
class EngineRestarts extends EngineDown {}

const CONNECTIONS = 64;
const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 2_000;
/** A restart takes 0.2 s, and 10 ms for each MB of the write-ahead log. */
const RESTART_MS = 10_000;

export function connectDuckdb(options: ClientOptions): AnalyticsEngine {
  const calls = createCaller(options);
  const { call } = calls;

  const openBatchStore = async ({ nodeId, onRetry }: BatchStoreOptions): Promise<BatchStore> => ({
    position: async () => (await call("position", { nodeId })) as { done: LogPosition },
    async store(batch, { from, to }, signal) {
      const body = Buffer.concat(encodeBatch(batch, { nodeId, from, to }));
      return retry(signal, onRetry, async () => (await calls.send("store", body, signal)) as StoredBatch);
    },
    flush: async (signal) => (await call("flush", { nodeId }, signal)) as LogPosition,
    moveTo: async (position) => void (await call("moveTo", { nodeId, position })),
    close: async () => undefined,
  });

  const select = async <T>(sql: string, { signal, ...rest }: SelectOptions = {}) => {
    const asked = await calls.again(() => call("select", { sql, ...rest }, signal), signal);
    return asked as Selected<T>;
  };

  return {
    select,
    runUserQuery: (query, signal) => calls.again(() => calls.stream("query", query, signal), signal),
    relations: createRelations({ select }),
    openBatchStore,
    replay: async (events) => (await call("replay", events)) as Awaited<ReturnType<AnalyticsEngine["replay"]>>,
    importRows: async (table, rows) => (await call("importRows", { table, rows })) as number,
    schema: {
      migrate: async (options = {}) => void (await call("migrate", options)),
      version: async () => (await call("version", null)) as number,
      newest: NEWEST_SCHEMA,
    },
    maintenance: {
      rebuildOutdated: async (signal) => void (await call("rebuildOutdated", null, signal)),
      listDirty: async (nowMs) => (await call("listDirty", nowMs)) as { project_id: string; day: string }[],
      materialize: async (partitions, signal) =>
        (await call("materialize", partitions, signal)) as { project_id: string; day: string }[],
      collectGarbage: async () => undefined,
      removeBefore: async (limits, signal) => (await call("removeBefore", limits, signal)) as number,
      removeParkedBefore: async (day, signal) => (await call("removeParkedBefore", day, signal)) as number,
      rebuild: async (onProgress, signal) => void (await call("rebuild", null, signal, onProgress)),
    },
    ping: () => calls.ping(),
    close: () => calls.close(),
  };
}

/** Retries until the engine is available. The writer handles a moved cursor itself. */
async function retry<T>(
  signal: AbortSignal,
  onRetry: ((cause: unknown) => void) | undefined,
  work: () => Promise<T>,
): Promise<T> {
  for (let pause = RETRY_FIRST_MS; ; pause = Math.min(pause * 2, RETRY_MAX_MS)) {
    try {
      return await work();
    } catch (cause) {
      signal.throwIfAborted();
      if (!isFailure(cause)) throw cause;
      onRetry?.(cause);
      await delay(pause, undefined, { signal });
    }
  }
}

type Progress = (done: number, total: number) => void;

function createCaller({ url, token }: ClientOptions) {
  let at = "";
  let pool: Pool | undefined;
  let closing: Promise<unknown> = Promise.resolve();

  function get(): Pool {
    const wanted = url();
    if (pool !== undefined && wanted === at) return pool;
    leave();
    at = wanted;
    // No time limits here: a rebuild may take any time, and the engine ends a query that takes too long.
    pool = new Pool(wanted, { connections: CONNECTIONS, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 5_000 });
    return pool;
  }

  function leave(): void {
    if (pool !== undefined) closing = Promise.allSettled([closing, pool.close()]);
    pool = undefined;
  }

  async function send(
    method: Method | "store",
    body: string | Buffer,
    signal?: AbortSignal,
    onProgress?: Progress,
  ): Promise<unknown> {
    signal?.throwIfAborted();
    let last: Line | undefined;
    try {
      const response = await get().request({
        method: "POST",
        path: `/${method}`,
        headers: { authorization: `Bearer ${token}` },
        body,
        ...(signal ? { signal } : {}),
      });
      if (response.statusCode !== 200) throw new Error(`the engine answered ${method} with ${response.statusCode}`);
      let rest = "";
      response.body.setEncoding("utf8");
      for await (const chunk of response.body as AsyncIterable<string>) {
        rest += chunk;
        if (!chunk.includes("\n")) continue;
        const lines = rest.split("\n");
        rest = lines.pop() ?? "";
        for (const text of lines) {
          last = JSON.parse(text) as Line;
          if ("progress" in last) onProgress?.(...last.progress);
        }
      }
    } catch (cause) {
      signal?.throwIfAborted();
      throw new EngineDown((cause as Error).message, { cause });
    }
    if (last === undefined || "progress" in last) throw new EngineDown("the answer of the engine is incomplete");
    if ("failure" in last) throw toError(last.failure);
    return last.result;
  }

  /** Resolves with the bytes after the first line. */
  async function stream(method: Method, input: unknown, signal: AbortSignal): Promise<Readable> {
    signal.throwIfAborted();
    try {
      const { body } = await get().request({
        method: "POST",
        path: `/${method}`,
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify(input),
        signal,
      });
      const first = await readLine(body);
      if ("failure" in first) {
        await body.dump();
        throw toError(first.failure);
      }
      return body;
    } catch (cause) {
      signal.throwIfAborted();
      if (isFailure(cause) || cause instanceof StatementRefused) throw cause;
      throw new EngineDown((cause as Error).message, { cause });
    }
  }

  async function ping(): Promise<void> {
    try {
      const { body } = await get().request({ method: "GET", path: "/ping", headersTimeout: 5_000 });
      await body.dump();
    } catch (cause) {
      throw new EngineDown((cause as Error).message, { cause });
    }
  }

  /** Asks a second time if the engine is restarted for somebody else's statement. Only for calls that change nothing. */
  async function again<T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const used = get();
    try {
      return await ask();
    } catch (cause) {
      if (!(cause instanceof EngineRestarts)) throw cause;
      // Its connections lead to the process that ends.
      if (pool === used) leave();
      const deadline = performance.now() + RESTART_MS;
      while (performance.now() < deadline) {
        await delay(RETRY_FIRST_MS, undefined, signal ? { signal } : {});
        if (await isThere()) return ask();
      }
      throw cause;
    }
  }

  const isThere = () =>
    ping().then(
      () => true,
      () => false,
    );

  return {
    send,
    stream,
    again,
    ping,
    call: (method: Method, input: unknown, signal?: AbortSignal, onProgress?: Progress) =>
      send(method, JSON.stringify(input, writeBigint), signal, onProgress),
    async close(): Promise<void> {
      await closing;
      await pool?.destroy();
    },
  };
}

/** Numbers are bound as texts anyway: see statement.ts. */
function writeBigint(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
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
