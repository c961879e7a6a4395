import type { LookupFunction } from "node:net";
import { buildConnector, Client, type Connector, type ResponseHeaders } from "../lib/undici.ts";
import type { Address } from "./resolve-name.ts";

/** Reading stops here: by then the status is known, and only the status decides the outcome. */
const MAX_READ_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;

export interface Exchange {
  url: URL;
  /** The checked addresses of the URL's host, the only ones that are connected to. */
  addresses: readonly Address[];
  headers: Record<string, string>;
  body: string;
  /** Asked when the connection is there; false ends the exchange before anything is sent. */
  mayBegin: () => boolean;
  /** Ends the whole exchange, including a connection that is being established. */
  signal: AbortSignal;
}

export interface Answer {
  status: number;
  headers: ResponseHeaders;
  /** At most 64 KiB plus the rest of one chunk. */
  body: Buffer;
}

type ConnectFailure = "connect" | "tls" | "reset" | "late";

/** Nothing was sent: the connection or its TLS handshake failed, it closed at once, or it was there too late. */
export class ConnectError extends Error {
  readonly reason: ConnectFailure;

  constructor(reason: ConnectFailure, cause?: unknown) {
    super(`no connection: ${reason}`, { cause });
    this.name = "ConnectError";
    this.reason = reason;
  }
}

/**
 * One POST over a connection of its own. Keep-alive would save a handshake. But a target that closes an idle connection
 * just as it is used would fail the attempt, and open connections would no longer equal attempts under way.
 */
export async function exchange({ url, addresses, headers, body, mayBegin, signal }: Exchange): Promise<Answer> {
  const client = new Client(url.origin, {
    connect: connectOnce(addresses, mayBegin, signal),
    maxHeaderSize: MAX_HEADER_BYTES,
    // The signal is the only time limit: undici's timers cover single steps or idle time, and a slow drip passes them.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    const path = url.pathname + url.search;
    const response = await client.request({ method: "POST", path, headers, body, signal, reset: true });
    return { status: response.statusCode, headers: response.headers, body: await readSome(response.body) };
  } finally {
    await client.destroy();
  }
}

/**
 * undici reconnects by itself when a connection closes before its request is written. An attempt has one connection.
 */
function connectOnce(addresses: readonly Address[], mayBegin: () => boolean, signal: AbortSignal): Connector {
  // `lookup` is not called for an IP literal: it is its own only address. `signal` also ends a TLS handshake that
  // hangs.
  const pinned = { lookup: answerWith(addresses), autoSelectFamily: true, signal };
  const connect = buildConnector({ ...pinned, allowH2: false, timeout: 0, maxCachedSessions: 0 });
  let used = false;
  return (options, callback) => {
    if (used) {
      callback(new ConnectError("reset"), null);
      return;
    }
    used = true;
    connect(options, (cause, socket) => {
      if (cause !== null) callback(new ConnectError(reasonOf(cause, options.protocol), cause), null);
      else if (mayBegin()) callback(null, socket);
      else {
        socket.destroy();
        callback(new ConnectError("late"), null);
      }
    });
  };
}

/** Answers with the checked addresses: a second lookup could return others (DNS rebinding). */
function answerWith(addresses: readonly Address[]): LookupFunction {
  return (_hostname, _options, callback) => callback(null, [...addresses]);
}

const UNREACHED = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL", "ETIMEDOUT", "EACCES"]);

function reasonOf(cause: Error & { code?: unknown }, protocol: string): ConnectFailure {
  if (UNREACHED.has(String(cause.code))) return "connect";
  if (protocol === "https:") return "tls";
  return cause.code === "ECONNRESET" ? "reset" : "connect";
}

async function readSome(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_READ_BYTES) break;
  }
  return Buffer.concat(chunks);
}
