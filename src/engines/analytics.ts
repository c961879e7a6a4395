import { Readable } from "node:stream";
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { isDisconnect, toFailure } from "./analytics-errors.ts";
import { type Bound, bind } from "./analytics-params.ts";
import { openReads } from "./analytics-reads.ts";
import { drain, type RawAnswer, readLines } from "./analytics-stream.ts";

export { EngineBusy, EngineDown, type EngineFailure, EngineRefused, isFailure } from "./analytics-errors.ts";
export { tuple } from "./analytics-params.ts";
export type { RawAnswer } from "./analytics-stream.ts";

/**
 * The port to ClickHouse: one client, whether the engine is the embedded child or a cluster. Everything it throws is an
 * EngineFailure, or the caller's own abort reason.
 */
export interface AnalyticsEngine {
  /** Rows in the batches they arrive in: handed out one by one, 200,000 rows took 1.2 s instead of 0.2 s. */
  select<T>(sql: string, options?: ReadOptions): AsyncGenerator<T[], void, void>;
  /** The engine's whole FORMAT JSON answer, parsed. */
  selectJson<T>(sql: string, options?: ReadOptions): Promise<JsonAnswer<T>>;
  /** The engine's own bytes, FORMAT JSON unless another is named, to hand on as they are. */
  selectRaw(sql: string, options?: RawOptions): Promise<RawAnswer>;
  insert(batch: InsertBatch): Promise<InsertSummary>;
  /** DDL and such. Never repeated by itself. */
  command(sql: string, options?: ReadOptions): Promise<void>;
  /** Throws EngineDown when nobody answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export type QueryParams = Readonly<Record<string, unknown>>;
export type QuerySettings = Readonly<Record<string, string | number>>;

export interface ReadOptions {
  readonly params?: QueryParams;
  readonly settings?: QuerySettings;
  readonly signal?: AbortSignal;
  /** False for statements that must run before the database exists. */
  readonly useDatabase?: boolean;
}

/** Text with a line a row, the first of which names the columns: what a backup holds. */
export type TableFormat = "TabSeparatedWithNames";

export interface RawOptions extends ReadOptions {
  readonly format?: "JSON" | TableFormat;
}

export interface JsonAnswer<T> {
  readonly meta: ReadonlyArray<{ readonly name: string; readonly type: string }>;
  readonly data: readonly T[];
  readonly rows: number;
  readonly rows_before_limit_at_least?: number;
  readonly statistics: { readonly elapsed: number; readonly rows_read: number; readonly bytes_read: number };
}

export interface InsertBatch {
  readonly table: string;
  readonly columns?: readonly string[];
  /** Rows in `format`. */
  readonly body: Buffer | Readable;
  readonly format?: "JSONEachRow" | "RowBinary" | TableFormat;
  /** A batch with a token that the table has seen is accepted and not stored again. */
  readonly dedupeToken?: string;
  readonly settings?: QuerySettings;
  readonly signal?: AbortSignal;
}

export interface InsertSummary {
  /** Rows the engine says it took; a cluster also counts those its materialized views wrote. */
  readonly writtenRows: number;
}

export interface AnalyticsOptions {
  /** Asked before each call: the embedded engine may move to another port. */
  url(): string;
  readonly username: string;
  readonly password: string;
  readonly database: string;
  /** Go with every statement; what a call asks for itself comes first. */
  readonly settings?: QuerySettings;
  readonly limits?: Partial<AnalyticsLimits>;
}

export interface AnalyticsLimits {
  /** Longest a call may take in all. Above the engine's own query timeout, so that its clearer error comes first. */
  readonly requestTimeoutMs: number;
  readonly insertTimeoutMs: number;
  readonly querySeconds: number;
  /** Most memory a read may use; 0 leaves it to the server. */
  readonly queryMemoryBytes: number;
  readonly connections: number;
}

const DEFAULT_LIMITS: AnalyticsLimits = {
  requestTimeoutMs: 40_000,
  insertTimeoutMs: 130_000,
  querySeconds: 30,
  queryMemoryBytes: 0,
  connections: 64,
};

/**
 * A server's own defaults answer an insert before its rows are stored: it may gather small inserts, and a Distributed table sends rows on in the
 * background. Our order of writes (days before events, rows before the build that counts them, events before the cursor) needs them stored.
 */
export const STORED_WHEN_ANSWERED = { async_insert: 0, distributed_foreground_insert: 1 } as const;

const NO_PARAMS: QueryParams = {};

/** Shorter than any server keeps a socket (ClickHouse: 10 s, the embedded engine: 60 s): the client closes first. */
const IDLE_SOCKET_MS = 5_000;

export function connectAnalytics(options: AnalyticsOptions): AnalyticsEngine {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { username, password } = options;
  const reads = openReads({
    url: () => options.url(),
    username,
    password,
    timeoutMs: limits.requestTimeoutMs,
    connections: limits.connections,
    idleSocketMs: IDLE_SOCKET_MS,
  });
  const writes = followUrl(options, limits.insertTimeoutMs, limits.connections);

  const bounds = new WeakMap<object, { sql: string; settings: QuerySettings | undefined; bound: Bound }>();

  /** readonly=1 on every read: a report can then neither write nor leave the engine, whatever its SQL says. */
  function readSettings({ settings, useDatabase }: ReadOptions = {}): QuerySettings {
    return {
      ...options.settings,
      ...settings,
      ...(useDatabase === false ? {} : { database: options.database }),
      max_execution_time: Number(settings?.max_execution_time ?? limits.querySeconds),
      ...(limits.queryMemoryBytes > 0 ? { max_memory_usage: String(limits.queryMemoryBytes) } : {}),
      output_format_json_quote_64bit_integers: 0,
      readonly: "1",
    };
  }

  /** A report that is asked again comes with the same object of parameters, and it took 0.15 ms to write them down. */
  function bindOnce(sql: string, given: ReadOptions | undefined): Bound {
    const { params = NO_PARAMS, settings, useDatabase } = given ?? {};
    const known = bounds.get(params);
    if (known?.sql === sql && known.settings === settings && useDatabase !== false) return known.bound;
    const bound = bind(sql, params, readSettings(given));
    if (params !== NO_PARAMS && useDatabase !== false) bounds.set(params, { sql, settings, bound });
    return bound;
  }

  async function read(sql: string, given: ReadOptions | undefined, format: string): Promise<RawAnswer> {
    const bound = bindOnce(sql, given);
    const run = () => reads.ask(`${bound.sql}\nFORMAT ${format}`, bound.query, given?.signal);
    try {
      return await run();
    } catch (cause) {
      given?.signal?.throwIfAborted();
      // A restart of the engine cuts idle sockets; the second try opens a new one. Only reads are safe to repeat.
      if (!isDisconnect(cause)) throw toFailure(cause);
    }
    try {
      return await run();
    } catch (cause) {
      given?.signal?.throwIfAborted();
      throw toFailure(cause);
    }
  }

  return {
    async *select<T>(sql: string, given?: ReadOptions) {
      const { body } = await read(sql, given, "JSONEachRow");
      for await (const lines of readLines(body)) yield lines.map((line) => JSON.parse(line) as T);
    },

    async selectJson<T>(sql: string, given?: ReadOptions) {
      const { body } = await read(sql, given, "JSON");
      const chunks: Buffer[] = [];
      for await (const chunk of body) chunks.push(chunk);
      return JSON.parse(Buffer.concat(chunks).toString()) as JsonAnswer<T>;
    },

    selectRaw: (sql, given) => read(sql, given, given?.format ?? "JSON"),

    async insert(batch) {
      const columns = batch.columns === undefined ? "" : ` (${batch.columns.map(quoteName).join(", ")})`;
      const table = batch.table.split(".").map(quoteName).join(".");
      try {
        const { stream, summary } = await writes.get().exec({
          query: `INSERT INTO ${table}${columns} FORMAT ${batch.format ?? "JSONEachRow"}`,
          values: Buffer.isBuffer(batch.body) ? Readable.from([batch.body], { objectMode: false }) : batch.body,
          clickhouse_settings: {
            ...STORED_WHEN_ANSWERED,
            ...options.settings,
            ...batch.settings,
            database: options.database,
            ...(batch.dedupeToken === undefined ? {} : { insert_deduplication_token: batch.dedupeToken }),
          },
          ...(batch.signal === undefined ? {} : { abort_signal: batch.signal }),
        });
        await drain(stream);
        return { writtenRows: Number(summary?.written_rows ?? 0) };
      } catch (cause) {
        batch.signal?.throwIfAborted();
        throw toFailure(cause);
      }
    },

    async command(sql, given) {
      try {
        await writes.get().command({
          query: sql,
          query_params: { ...given?.params },
          clickhouse_settings: {
            ...STORED_WHEN_ANSWERED,
            ...options.settings,
            ...given?.settings,
            ...(given?.useDatabase === false ? {} : { database: options.database }),
          },
          ...(given?.signal === undefined ? {} : { abort_signal: given.signal }),
        });
      } catch (cause) {
        given?.signal?.throwIfAborted();
        throw toFailure(cause);
      }
    },

    async ping() {
      try {
        const { body } = await reads.ping();
        await drain(body);
      } catch (cause) {
        throw toFailure(cause);
      }
    },

    async close() {
      await reads.close();
      await writes.close();
    },
  };
}

/** One client per address: when the engine moves, the next call gets a new client and the old one is closed. */
function followUrl(options: AnalyticsOptions, timeoutMs: number, connections: number) {
  let at = "";
  let client: ClickHouseClient | undefined;
  let closing: Promise<unknown> = Promise.resolve();
  return {
    get(): ClickHouseClient {
      const url = options.url();
      if (client !== undefined && url === at) return client;
      if (client !== undefined) closing = Promise.allSettled([closing, client.close()]);
      at = url;
      client = createClient({
        url,
        username: options.username,
        password: options.password,
        application: "sextant",
        request_timeout: timeoutMs,
        max_open_connections: connections,
        keep_alive: { enabled: true, idle_socket_ttl: IDLE_SOCKET_MS },
        // Its messages would repeat what the thrown errors say, with the SQL in them.
        log: { level: ClickHouseLogLevel.OFF },
      });
      return client;
    },
    async close(): Promise<void> {
      await closing;
      await client?.close();
    },
  };
}

function quoteName(name: string): string {
  return `\`${name.replace(/[\\`]/g, (char) => `\\${char}`)}\``;
}
