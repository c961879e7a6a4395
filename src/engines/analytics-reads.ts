import { type Dispatcher, Pool } from "undici";
import { IncomingAnswer } from "./analytics-answer.ts";
import type { RawAnswer } from "./analytics-stream.ts";

/**
 * How reads reach ClickHouse. The client library waits for a timer before each request, sends the statement as a stream and hands the answer
 * through another one: about 2 of the 9 ms that a report took beyond the engine's own time. Writes have its comfort, reads go from here.
 */
export interface Reads {
  /** `query`: settings and parameters, as a URL has them. Fails with what undici or ClickHouse said, or the signal's reason. */
  ask(sql: string, query: string, signal: AbortSignal | undefined): Promise<RawAnswer>;
  /** Resolves with the answer of ClickHouse's own health check. */
  ping(): Promise<RawAnswer>;
  close(): Promise<void>;
}

export interface ReadsOptions {
  /** Asked before each call: when the engine moves, the next call gets new connections and the old ones end with their answers. */
  url(): string;
  readonly username: string;
  readonly password: string;
  readonly timeoutMs: number;
  readonly connections: number;
  readonly idleSocketMs: number;
}

export function openReads(options: ReadsOptions): Reads {
  const { username, password, timeoutMs, connections, idleSocketMs } = options;
  const headers = {
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
    "user-agent": "sextant",
  };
  let at = "";
  let place: { pool: Pool; path: string } | undefined;
  let closing: Promise<unknown> = Promise.resolve();

  function get(): { pool: Pool; path: string } {
    const url = options.url();
    if (place !== undefined && url === at) return place;
    if (place !== undefined) closing = Promise.allSettled([closing, place.pool.close()]);
    const { origin, pathname } = new URL(url);
    at = url;
    const pool = new Pool(origin, {
      connections,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      keepAliveTimeout: idleSocketMs,
      // Whatever longer time a server promises.
      keepAliveMaxTimeout: idleSocketMs,
      allowH2: false,
    });
    place = { pool, path: pathname };
    return place;
  }

  function send(request: Omit<Dispatcher.DispatchOptions, "headers">, pool: Pool, signal: AbortSignal | undefined) {
    signal?.throwIfAborted();
    const answer = new IncomingAnswer(signal);
    pool.dispatch({ ...request, headers }, answer.handler);
    return answer.begun;
  }

  return {
    async ask(sql, query, signal) {
      const { pool, path } = get();
      return send({ method: "POST", path: `${path}?${query}`, body: sql }, pool, signal);
    },
    async ping() {
      const { pool, path } = get();
      return send({ method: "GET", path: `${path === "/" ? "" : path}/ping` }, pool, undefined);
    },
    async close() {
      await closing;
      await place?.pool.destroy();
    },
  };
}
