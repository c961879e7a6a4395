/**
 * Serves the engine to other processes of this machine: HTTP on loopback, with a token in every request. One call is
 * one request; closing its connection cancels it. HTTP rather than the IPC channel of the child, because CLI commands
 * use the same engine. Reads come as frames of connections that are kept (frames.ts).
 */
import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { CursorMoved } from "../../batch.ts";
import { isFailure } from "../../failures.ts";
import type { Progress } from "../../maintenance.ts";
import { type BatchStore, METHODS, type MethodGroup } from "../../port.ts";
import type { SelectOptions } from "../../select.ts";
import { StatementRefused } from "../../user-sql/statement-refused.ts";
import type { UserQuery } from "../../user-sql/user-query.ts";
import type { LocalEngine } from "../engine.ts";
import { FRAMES } from "./frames.ts";
import { decodeBatch, decodeCall, type Line, MOST_BYTES } from "./protocol.ts";
import { serveFrames } from "./serve-frames.ts";

const REFUSED = "HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/** Callers of this machine read their answer within milliseconds. */
const RESTART_MS = 500;

export interface EngineServer {
  readonly port: number;
  /** Accepts no more calls; running calls have `graceMs` to end. */
  close(graceMs: number): Promise<void>;
  /** Tells all callers that the process ends and that its successor can answer them. */
  restart(): Promise<void>;
}

type Call = (body: Buffer, signal: AbortSignal, onProgress: Progress) => Promise<unknown>;

export async function listen(engine: LocalEngine, options: { token: string; port: number }): Promise<EngineServer> {
  const calls = createCalls(engine);
  const waiting = new Set<ServerResponse>();
  let isRestarting = false;
  const server = createServer((request, response) => {
    // Also no ping: the next process answers it.
    if (isRestarting) return void request.destroy();
    void answer(request, response, { token: options.token, calls, waiting });
  });
  const frames = serveFrames((body, signal) => select(engine, body, signal));
  server.on("upgrade", (request, socket) => {
    // HTTP no longer listens: the error of a client that resets the connection would end the process.
    socket.on("error", () => undefined);
    if (isRestarting) return void socket.destroy();
    if (isAllowed(request, options.token) && request.headers.upgrade === FRAMES) return frames.accept(socket);
    // Nor does it count this connection: one that its client keeps open would hold up the end of the server.
    socket.end(REFUSED, () => socket.destroy());
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
        const endIdle = () => {
          server.closeIdleConnections();
          frames.endIdle();
        };
        const late = setTimeout(() => {
          server.closeAllConnections();
          frames.endAll();
        }, graceMs);
        // Repeated: a connection becomes idle when its call ends, and would otherwise delay the stop by the whole grace
        // time.
        const idle = setInterval(endIdle, 20);
        server.close(() => {
          clearTimeout(late);
          clearInterval(idle);
          resolve();
        });
        endIdle();
      }),
    async restart() {
      isRestarting = true;
      server.close();
      const line: Line = { failure: { kind: "restarting", message: "the engine is being restarted" } };
      const told = [...waiting].map(
        (response) => new Promise<void>((resolve) => response.end(`${JSON.stringify(line)}\n`, resolve)),
      );
      await Promise.race([Promise.all([...told, frames.tell(line)]), delay(RESTART_MS)]);
    },
  };
}

async function select(engine: LocalEngine, body: Buffer, signal: AbortSignal): Promise<string> {
  const write = (line: Line) => JSON.stringify(line);
  try {
    const { args } = decodeCall(body, signal, () => undefined);
    const [sql, options] = args as [string, SelectOptions];
    const text = write({ result: await engine.select(sql, { ...options, signal }) });
    if (text.length > MOST_BYTES / 3 && Buffer.byteLength(text) > MOST_BYTES)
      throw new Error(`an answer has more than ${MOST_BYTES} bytes`);
    return text;
  } catch (cause) {
    // Nobody reads it, and it is no failure of ours.
    if (signal.aborted) return write({ failure: { kind: "busy", message: "its caller has left" } });
    return write({ failure: toFailure(cause) });
  }
}

/** Every method of the port under its name, and the two whose form is their own. */
function createCalls(engine: LocalEngine): Record<string, Call> {
  const stores = new Map<string, Promise<BatchStore>>();
  const storeOf = (nodeId: string) => {
    const known = stores.get(nodeId) ?? engine.openBatchStore({ nodeId, cursorFile: "" });
    stores.set(nodeId, known);
    return known;
  };
  const targets: Record<MethodGroup, (nodeId: string) => object | Promise<object>> = {
    engine: () => engine,
    schema: () => engine.schema,
    maintenance: () => engine.maintenance,
    batches: storeOf,
  };
  const calls = (Object.keys(METHODS) as MethodGroup[]).flatMap((group) =>
    Object.keys(METHODS[group]).map((name): [string, Call] => [
      `${group}/${name}`,
      async (...received) => {
        const { nodeId, args } = decodeCall(...received);
        const target = (await targets[group](nodeId)) as Record<string, (...args: unknown[]) => Promise<unknown>>;
        return target[name]?.(...args);
      },
    ]),
  );
  return {
    ...Object.fromEntries(calls),
    query(...received) {
      const [query] = decodeCall(...received).args as [UserQuery];
      return engine.runUserQuery(query, received[1]);
    },
    async store(body, signal) {
      const { head, batch } = decodeBatch(body);
      const range = { from: head.from, to: head.to, token: "" };
      return (await storeOf(head.nodeId)).store(batch, range, signal);
    },
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
  const call = Object.hasOwn(calls, method) ? calls[method] : undefined;
  if (request.method !== "POST" || !isAllowed(request, token) || call === undefined) {
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
  const end = (line: Line) => response.end(`${JSON.stringify(line)}\n`);
  try {
    const body = await readBody(request);
    const result = await call(body, ended.signal, (done, total) => write({ progress: [done, total] }));
    waiting.delete(response);
    if (response.writableEnded) return;
    if (result instanceof Readable) {
      write({ result: "stream" });
      await pipeline(result, response);
      return;
    }
    // At once with its length: a call without progress is answered by one packet.
    end({ result });
  } catch (cause) {
    // A stream that has begun cannot report a failure: the caller sees the end of the connection.
    waiting.delete(response);
    if (response.writableEnded || response.destroyed || ended.signal.aborted) return;
    end({ failure: toFailure(cause) });
  }
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
  return received.length === expected.length && timingSafeEqual(received, expected);
}

/** Joined as it arrives: a batch of 25 MB is in memory once. */
function readBody(request: IncomingMessage): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const length = Number(request.headers["content-length"]);
  if (Number.isNaN(length)) throw new Error("a request does not say how long it is");
  if (!(length <= MOST_BYTES)) throw new Error(`a request has more than ${MOST_BYTES} bytes`);
  const body = Buffer.allocUnsafeSlow(length);
  let at = 0;
  request.on("data", (chunk: Buffer) => {
    at += chunk.copy(body, at);
  });
  request.once("end", () => (at === length ? resolve(body) : reject(new Error("a request is incomplete"))));
  request.once("error", reject);
  request.once("close", () => reject(new Error("a request is incomplete")));
  return promise;
}
