/**
 * ClickHouse over HTTP, with undici alone. Written by hand: the client library waits for a timer before each request and
 * streams the statement and the answer; that was 2 of the 9 ms that a report took beyond the engine's own time.
 */
import type { Readable } from "node:stream";
import { Pool } from "../../lib/undici.ts";
import type { Selected, SelectOptions } from "../select.ts";
import { failureFromText, isDisconnect, toFailure } from "./errors.ts";
import { bind, type Params, type Settings } from "./params.ts";
import { READ_SETTINGS, WRITE_SETTINGS } from "./settings.ts";

export interface Clickhouse {
  readonly database: string;
  readonly cluster: string | undefined;
  select<T>(sql: string, options?: ReadOptions): Promise<Selected<T>>;
  /** The bytes of an answer in a format of ClickHouse. */
  stream(sql: string, options: ReadOptions & { readonly format: string }): Promise<Readable>;
  insert(rows: Rows, signal?: AbortSignal): Promise<void>;
  /** DDL, mutations, INSERT ... SELECT. Never retried here. */
  command(sql: string, options?: CommandOptions): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface ReadOptions extends SelectOptions {
  readonly settings?: Settings;
}

export interface CommandOptions {
  readonly params?: Params;
  readonly settings?: Settings;
  readonly signal?: AbortSignal;
  /** False for CREATE DATABASE. */
  readonly useDatabase?: boolean;
}

export interface Rows {
  readonly table: string;
  readonly columns?: readonly string[];
  readonly body: Uint8Array;
  readonly format: "JSONEachRow" | "RowBinary";
  /** The table accepts a batch with a known token and does not store it again. */
  readonly dedupeToken?: string;
  readonly settings?: Settings;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly cluster?: string | undefined;
  readonly queryMs: number;
  /** 0: the server's own limit. */
  readonly queryMemoryBytes: number;
  /** Sent with every statement. */
  readonly settings: Settings;
}

/** The time limit of an insert. `MARGINS.settleMs` (materialize/margins.ts) is longer. */
const INSERT_MS = 120_000;
/** Long enough for a mutation or for a large partition. */
const COMMAND_MS = 600_000;
/** The client waits longer than the engine, whose own timeout error is clearer. */
const GRACE_MS = 10_000;
const CONNECTIONS = 64;
/** Shorter than the server's keep-alive (ClickHouse: 10 s), so that the client closes first. */
const IDLE_SOCKET_MS = 5_000;

interface Request {
  readonly body: string | Uint8Array;
  readonly query: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export function openDatabase(options: DatabaseOptions): Clickhouse {
  const database = decodeURIComponent(new URL(options.url).pathname.slice(1)) || "sextant";
  const transport = createTransport(options.url);

  const readSettings = (timeoutMs: number, more: Settings): Settings => ({
    database,
    ...options.settings,
    ...more,
    max_execution_time: Math.ceil(timeoutMs / 1000),
    ...(options.queryMemoryBytes > 0 ? { max_memory_usage: options.queryMemoryBytes } : {}),
    ...READ_SETTINGS,
  });
  const writeSettings = (more: Settings): Settings => ({ ...WRITE_SETTINGS, ...options.settings, ...more });

  return {
    database,
    cluster: options.cluster,

    async select<T>(
      sql: string,
      { params = {}, signal, timeoutMs = options.queryMs, settings = {} }: ReadOptions = {},
    ) {
      const limitMs = Math.min(timeoutMs, options.queryMs);
      const bound = bind(sql, params, readSettings(limitMs, settings));
      const request = { body: `${bound.sql}\nFORMAT JSONCompact`, query: bound.query, timeoutMs: limitMs, signal };
      return readAnswer<T>(await ask(() => sendTwice(transport, request), signal));
    },

    async stream(sql, { params = {}, signal, timeoutMs = options.queryMs, settings = {}, format }) {
      const bound = bind(sql, params, readSettings(timeoutMs, settings));
      const request = { body: `${bound.sql}\nFORMAT ${format}`, query: bound.query, timeoutMs, signal };
      return ask(() => transport.open(request), signal);
    },

    async insert(rows, signal) {
      const { query } = bind("", {}, { database, ...writeSettings(insertSettings(rows)) });
      await ask(() => transport.send({ body: rows.body, query, timeoutMs: INSERT_MS, signal }), signal);
    },

    async command(sql, { params = {}, settings = {}, signal, useDatabase = true } = {}) {
      const all = { ...(useDatabase ? { database } : {}), ...writeSettings(settings) };
      const bound = bind(sql, params, all);
      await ask(() => transport.send({ body: bound.sql, query: bound.query, timeoutMs: COMMAND_MS, signal }), signal);
    },

    ping: () => ask(() => transport.ping(), undefined),
    close: () => transport.close(),
  };
}

interface Transport {
  /** The body of a complete answer. */
  open(request: Request): Promise<Readable>;
  send(request: Request): Promise<Buffer>;
  /** Throws when the server is unavailable. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

function createTransport(url: string): Transport {
  const headers = { authorization: authorizationOf(url), "user-agent": "sextant" };
  const pool = new Pool(new URL(url).origin, {
    connections: CONNECTIONS,
    keepAliveTimeout: IDLE_SOCKET_MS,
    // Limits a longer keep-alive that the server announces.
    keepAliveMaxTimeout: IDLE_SOCKET_MS,
    allowH2: false,
  });

  const post = ({ body, query, timeoutMs, signal }: Request) =>
    pool.request({
      method: "POST",
      path: `/?${query}`,
      headers,
      body,
      headersTimeout: timeoutMs + GRACE_MS,
      bodyTimeout: timeoutMs + GRACE_MS,
      ...(signal === undefined ? {} : { signal }),
    });

  async function open(request: Request): Promise<Readable> {
    const { statusCode, headers: received, body } = await post(request);
    if (statusCode !== 200 || received["x-clickhouse-exception-code"] !== undefined)
      throw failureFromText(await body.text());
    return body;
  }

  async function send(request: Request): Promise<Buffer> {
    const answer = await post(request);
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    if (answer.statusCode !== 200 || answer.headers["x-clickhouse-exception-code"] !== undefined)
      throw failureFromText(bytes.toString());
    refuseBroken(bytes, answer.headers["x-clickhouse-exception-tag"]);
    return bytes;
  }

  return {
    open,
    send,
    async ping() {
      const answer = await pool.request({ method: "GET", path: "/ping", headers, headersTimeout: GRACE_MS });
      await answer.body.dump();
    },
    close: () => pool.destroy(),
  };
}

function authorizationOf(url: string): string {
  const { username, password } = new URL(url);
  const [user, secret] = [username, password].map(decodeURIComponent);
  return `Basic ${Buffer.from(`${user || "default"}:${secret}`).toString("base64")}`;
}

async function ask<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    signal?.throwIfAborted();
    return await work();
  } catch (cause) {
    signal?.throwIfAborted();
    throw toFailure(cause);
  }
}

/** A restart of the server closes idle sockets; the second try opens a new one. Only reads are safe to repeat. */
async function sendTwice({ send }: Transport, request: Request): Promise<Buffer> {
  try {
    return await send(request);
  } catch (cause) {
    if (request.signal?.aborted || !isDisconnect(cause)) throw cause;
    return send(request);
  }
}

function insertSettings({ table, columns, format, dedupeToken, settings }: Rows): Settings {
  const names = columns === undefined ? "" : ` (${columns.join(", ")})`;
  return {
    ...(dedupeToken === undefined ? {} : { insert_deduplication_token: dedupeToken }),
    ...settings,
    max_execution_time: INSERT_MS / 1000,
    query: `INSERT INTO ${table}${names} FORMAT ${format}`,
  };
}

/** An answer that fails while it is streamed ends with a tagged message (ClickHouse 25.11 and later). */
function refuseBroken(bytes: Buffer, tag: string | string[] | undefined): void {
  if (typeof tag !== "string") return;
  const marker = Buffer.from(`__exception__\r\n${tag}\r\n`);
  const at = bytes.lastIndexOf(marker);
  if (at >= 0) throw failureFromText(bytes.toString("utf8", at + marker.length));
}

interface JsonAnswer {
  readonly meta: ReadonlyArray<{ readonly name: string }>;
  readonly data: ReadonlyArray<readonly unknown[]>;
  readonly statistics: { readonly elapsed: number; readonly rows_read: number; readonly bytes_read: number };
}

function readAnswer<T>(bytes: Buffer): Selected<T> {
  const { meta, data, statistics } = JSON.parse(bytes.toString()) as JsonAnswer;
  const names = meta.map(({ name }) => name);
  const rows = data.map((values) => {
    const row: Record<string, unknown> = {};
    for (let at = 0; at < names.length; at += 1) row[names[at] ?? ""] = values[at];
    return row as T;
  });
  return { rows, statistics };
}
