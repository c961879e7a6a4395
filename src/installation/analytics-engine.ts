import { connectDuckdb } from "../engines/duckdb/process/client.ts";
import type { EmbeddedEngine, EngineLog } from "../engines/duckdb/process/supervisor.ts";
import { isFailure } from "../engines/failures.ts";
import type { AnalyticsEngine } from "../engines/port.ts";
import { type PreparedEngine, prepareWhenAvailable } from "../engines/prepared-engine.ts";
import type { Config } from "./config.ts";
import { type DataPaths, findRunning } from "./data-dir.ts";
import { EngineStartError, startEmbedded } from "./embedded-engine.ts";

export interface Analytics {
  engine: AnalyticsEngine;
  /** Address and token of our own child; undefined for an external engine. */
  credentials(): { url: string; token: string } | undefined;
  /** Calls back when our own child may have a new address. Returns the function that ends the subscription. */
  onMove(listener: () => void): () => void;
  /** For the banner. */
  describe: string;
  /** Rejects with a public sentence while queries cannot be answered. */
  check(): Promise<void>;
  isUnavailable(cause: unknown): boolean;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Prepares the engine before its first use; by default it migrates the schema. */
  prepare?: (engine: AnalyticsEngine) => Promise<unknown>;
  /** For a node with only the ingest role: an engine that is unavailable now is prepared later. */
  mayBeUnavailable?: boolean;
  /** The child of the settings, if it is already being started. */
  embedded?: Promise<EmbeddedEngine> | undefined;
}

/** Opens the engine of the settings: a ClickHouse server, or DuckDB in a child process. */
export async function openAnalytics(
  config: Config,
  paths: DataPaths,
  log: EngineLog,
  { prepare = (engine) => engine.schema.migrate(), mayBeUnavailable = false, embedded: started }: OpenOptions = {},
): Promise<Analytics> {
  const embedded =
    config.CLICKHOUSE_URL === undefined ? await (started ?? startEmbedded(config, paths, log)) : undefined;
  const connected =
    embedded === undefined
      ? await connectConfigured(config)
      : connectDuckdb({ url: () => embedded.url(), token: embedded.token });
  const close = async () => {
    await connected.close();
    await embedded?.stop();
  };
  const prepareNow = async () => {
    await connected.ping();
    await prepare(connected);
  };
  const describe = embedded === undefined ? `ClickHouse at ${new URL(config.CLICKHOUSE_URL ?? "").host}` : "DuckDB";
  const where = embedded === undefined ? describe : `the embedded engine in ${paths.engine}`;
  const onUnavailable = (cause: unknown) => log.warn({ err: cause }, `${where} is unavailable: events wait in the log`);
  let prepared: PreparedEngine;
  try {
    prepared = mayBeUnavailable
      ? await prepareWhenAvailable(connected, prepareNow, onUnavailable)
      : await prepareNow().then(() => ({ engine: connected, getReady: async () => undefined }));
  } catch (cause) {
    await close();
    throw new EngineStartError(`cannot use ${where}: ${(cause as Error).message.split("\n")[0]}`, { cause });
  }
  const { engine, getReady } = prepared;
  return {
    engine,
    credentials: () => embedded && { url: embedded.url(), token: embedded.token },
    onMove: (listener) => embedded?.onChange(listener) ?? (() => undefined),
    describe,
    check: () => checkEngine(engine, getReady, embedded),
    isUnavailable: (cause) => isFailure(cause) && cause.kind !== "refused",
    close,
  };
}

/** For a command beside the service: the configured ClickHouse, or the child of the service that runs here. */
export async function openRunningAnalytics(config: Config, paths: DataPaths): Promise<AnalyticsEngine> {
  if (config.CLICKHOUSE_URL !== undefined) return connectConfigured(config);
  const running = findRunning(paths)?.engine;
  if (running === undefined) throw new EngineStartError("the embedded engine runs inside the service: start it first");
  return connectDuckdb({ url: () => running.url, token: running.token });
}

/** Loaded only on demand: saves 0.4 s of CPU for a command on DuckDB. */
async function connectConfigured(config: Config): Promise<AnalyticsEngine> {
  const { connectClickhouse } = await import("../engines/clickhouse/engine.ts");
  return connectClickhouse({
    url: config.CLICKHOUSE_URL ?? "",
    cluster: config.CLICKHOUSE_CLUSTER || undefined,
    queryMs: config.QUERY_TIMEOUT_MS,
    queryMemoryBytes: config.QUERY_MEMORY_MB * 1024 * 1024,
    keptBytes: config.KEPT_ANSWERS_MB * 1024 * 1024,
  });
}

async function checkEngine(
  engine: AnalyticsEngine,
  getReady: () => Promise<void>,
  embedded: EmbeddedEngine | undefined,
): Promise<void> {
  const state = embedded?.status().state ?? "ready";
  if (state !== "ready") throw new Error(state);
  try {
    await engine.ping();
  } catch {
    throw new Error("does not answer");
  }
  await getReady();
}
