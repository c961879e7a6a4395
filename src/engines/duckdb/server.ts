/**
 * Serves the engine to other processes of this machine: HTTP on loopback, with a token in every request. One call is
 * one request; closing its connection cancels it. HTTP rather than the IPC channel of the child, because CLI commands
 * use the same engine.
 */
import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { isFailure } from "../failures.ts";
import {
  type BatchStore,
  CursorMoved,
  type ExportedRow,
  type LogPosition,
  type Partition,
  type ReplayedEvent,
  type SelectOptions,
  type SourceTable,
} from "../port.ts";
import { StatementRefused } from "../statement-refused.ts";
import type { UserQuery } from "../user-sql/user-query.ts";
import type { LocalEngine } from "./local.ts";
import { decodeBatch, type Line, type Method } from "./protocol.ts";

/** A batch has 24 MiB of log, and its rows are slightly larger; a page of a backup has 64 MiB. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Callers of this machine read their answer within milliseconds. */
const RESTART_MS = 500;

export interface EngineServer {
  readonly port: number;
  /** Accepts no more calls; running calls have `graceMs` to end. */
  close(graceMs: number): Promise<void>;
  /** Tells all callers that the process ends and that its successor can answer them. */
  restart(): Promise<void>;
}

type Progress = (done: number, total: number) => void;
type Call = (input: never, signal: AbortSignal, onProgress: Progress) => Promise<unknown>;

export async function listen(engine: LocalEngine, options: { token: string; port: number }): Promise<EngineServer> {
  const calls = createCalls(engine);
  const waiting = new Set<ServerResponse>();
  let isRestarting = false;
  const server = createServer((request, response) => {
    // Also no ping: the next process answers it.
    if (isRestarting) return void request.destroy();
    void answer(request, response, { token: options.token, calls, waiting });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: (graceMs) =>
      new Promise((resolve) => {
        const late = setTimeout(() => server.closeAllConnections(), graceMs);
        // Repeated: a connection becomes idle when its call ends, and would otherwise delay the stop by the whole grace
        // time.
        const idle = setInterval(() => server.closeIdleConnections(), 20);
        server.close(() => {
          clearTimeout(late);
          clearInterval(idle);
          resolve();
        });
        server.closeIdleConnections();
      }),
    async restart() {
      isRestarting = true;
      server.close();
      const line: Line = { failure: { kind: "restarting", message: "the engine is being restarted" } };
      const told = [...waiting].map(
        (response) => new Promise<void>((resolve) => response.end(`${JSON.stringify(line)}\n`, resolve)),
      );
      await Promise.race([Promise.all(told), delay(RESTART_MS)]);
    },
  };
}

function createCalls(engine: LocalEngine): Record<Method | "store", Call> {
  const stores = new Map<string, Promise<BatchStore>>();
  const storeOf = (nodeId: string) => {
    const known = stores.get(nodeId) ?? engine.openBatchStore({ nodeId, cursorFile: "" });
    stores.set(nodeId, known);
    return known;
  };
  const { maintenance, schema } = engine;
  return {
    select: ({ sql, ...options }: SelectOptions & { sql: string }, signal) =>
      engine.select(sql, { ...options, signal }),
    query: (query: UserQuery, signal) => engine.runUserQuery(query, signal),
    position: async ({ nodeId }: { nodeId: string }) => (await storeOf(nodeId)).position(),
    flush: async ({ nodeId }: { nodeId: string }, signal) => (await storeOf(nodeId)).flush(signal),
    moveTo: async ({ nodeId, position }: { nodeId: string; position: LogPosition }) =>
      (await storeOf(nodeId)).moveTo(position),
    async store(body: Buffer, signal) {
      const { head, batch } = decodeBatch(body);
      const range = { from: head.from, to: head.to, token: "" };
      return (await storeOf(head.nodeId)).store(batch, range, signal);
    },
    replay: (events: readonly ReplayedEvent[]) => engine.replay(events),
    importRows: ({ table, rows }: { table: SourceTable; rows: readonly ExportedRow[] }) =>
      engine.importRows(table, rows),
    migrate: (options: { upTo?: number }) => schema.migrate(options),
    version: () => schema.version(),
    rebuildOutdated: (_: undefined, signal) => maintenance.rebuildOutdated(signal),
    listDirty: (nowMs: number) => maintenance.listDirty(nowMs),
    materialize: (partitions: readonly Partition[], signal) => maintenance.materialize(partitions, signal),
    removeBefore: (limits: { projectId: string; firstDay: string }[], signal) =>
      maintenance.removeBefore(limits, signal),
    removeParkedBefore: (day: string, signal) => maintenance.removeParkedBefore(day, signal),
    rebuild: (_: undefined, signal, onProgress) => maintenance.rebuild(onProgress, signal),
  };
}

interface Serving {
  readonly token: string;
  readonly calls: Record<string, Call>;
  /** Answers that have not begun. */
  readonly waiting: Set<ServerResponse>;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { token, calls, waiting }: Serving,
): Promise<void> {
  const method = (request.url ?? "").slice(1);
  if (method === "ping") {
    response.end("ok\n");
    return;
  }
  if (!isAllowed(request, token) || !Object.hasOwn(calls, method)) {
    response.writeHead(404).end();
    return;
  }
  const ended = new AbortController();
  waiting.add(response);
  response.once("close", () => {
    waiting.delete(response);
    ended.abort(new Error("the caller closed the connection"));
  });
  const write = (line: Line) => response.write(`${JSON.stringify(line)}\n`);
  try {
    const body = await readBody(request);
    const input: unknown = method === "store" ? body : JSON.parse(body.toString("utf8") || "null");
    const call = calls[method] as (input: unknown, signal: AbortSignal, onProgress: Progress) => Promise<unknown>;
    const result = await call(input, ended.signal, (done, total) => write({ progress: [done, total] }));
    waiting.delete(response);
    if (response.writableEnded) return;
    if (result instanceof Readable) {
      write({ result: "stream" });
      await pipeline(result, response);
      return;
    }
    write({ result: result ?? null });
  } catch (cause) {
    // A stream that has begun cannot report a failure: the caller sees the end of the connection.
    waiting.delete(response);
    if (response.writableEnded || response.destroyed || ended.signal.aborted) return;
    write({ failure: toFailure(cause) });
  }
  response.end();
}

function toFailure(cause: unknown): Extract<Line, { failure: unknown }>["failure"] {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof CursorMoved) return { kind: "moved", message };
  if (cause instanceof StatementRefused) return { kind: "statement", message };
  if (isFailure(cause) && cause.kind !== "down") return { kind: cause.kind, message };
  // The stack goes to the log of the service; the caller receives the message.
  process.stderr.write(`${cause instanceof Error ? (cause.stack ?? message) : message}\n`);
  return { kind: "bug", message };
}

function isAllowed(request: IncomingMessage, token: string): boolean {
  const received = Buffer.from(request.headers.authorization ?? "");
  const expected = Buffer.from(`Bearer ${token}`);
  return request.method === "POST" && received.length === expected.length && timingSafeEqual(received, expected);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error(`a request has more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes);
}
