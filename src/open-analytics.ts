import type { Config } from "./config.ts";
import { type AnalyticsEngine, connectAnalytics, isFailure, type QuerySettings } from "./engines/analytics.ts";
import { type DataPaths, findRunning } from "./engines/data-dir.ts";
import { type EmbeddedEngine, startEmbeddedEngine } from "./engines/embedded/supervisor.ts";
import { type PreparedEngine, prepareWhenThere } from "./engines/prepared-engine.ts";
import { CLUSTER_SETTINGS } from "./warehouse/cluster-settings.ts";
import { migrateWarehouse } from "./warehouse/migrate.ts";

const DATABASE = "sextant";

export interface Analytics {
  engine: AnalyticsEngine;
  /** Of our own child; undefined when the engine is somebody else's. */
  credentials(): { url: string; username: string; password: string } | undefined;
  /** Calls back when our own child may have another address; returns what ends that. */
  onMove(listener: () => void): () => void;
  /** For the banner. */
  describe: string;
  /** Rejects with a public sentence while queries cannot be answered. */
  check(): Promise<void>;
  isUnavailable(cause: unknown): boolean;
  close(): Promise<void>;
}

/** An engine that cannot be used; the message is one line for the person who starts the service. */
class EngineStartError extends Error {
  override readonly name = "EngineStartError";
}

interface EngineLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

type Prepare = (engine: AnalyticsEngine, where: { database: string; cluster: string | undefined }) => Promise<unknown>;

/**
 * The engine the settings name: a ClickHouse, or our own child. Unless told otherwise it has the newest schema when this resolves; for who
 * only inserts, one that is away may get it later.
 */
export async function openAnalytics(
  config: Config,
  paths: DataPaths,
  log: EngineLog,
  prepare: Prepare = migrateWarehouse,
  mayBeAway = false,
): Promise<Analytics> {
  const embedded = config.CLICKHOUSE_URL === undefined ? await startEmbedded(config, paths, log) : undefined;
  const target =
    embedded === undefined ? readUrl(config.CLICKHOUSE_URL ?? "") : { ...credentialsOf(embedded), database: DATABASE };
  const connected = connectAnalytics({
    ...target,
    settings: settingsOf(config),
    limits: {
      querySeconds: config.QUERY_TIMEOUT_MS / 1000,
      queryMemoryBytes: config.QUERY_MEMORY_MB * 1024 * 1024,
      requestTimeoutMs: config.QUERY_TIMEOUT_MS + 10_000,
    },
  });
  const close = async () => {
    await connected.close();
    await embedded?.stop();
  };
  const prepareNow = async () => {
    await connected.ping();
    await prepare(connected, warehousePlace(config));
  };
  const where =
    embedded === undefined ? `ClickHouse at ${new URL(target.url()).host}` : `the embedded engine in ${paths.engine}`;
  const onAway = (cause: unknown) => log.warn({ err: cause }, `${where} is away: events wait in the log`);
  let prepared: PreparedEngine;
  try {
    prepared = mayBeAway
      ? await prepareWhenThere(connected, prepareNow, onAway)
      : await prepareNow().then(() => ({ engine: connected, getReady: async () => undefined }));
  } catch (cause) {
    await close();
    throw new EngineStartError(`cannot use ${where}: ${(cause as Error).message.split("\n")[0]}`, { cause });
  }
  const { engine, getReady } = prepared;
  return {
    engine,
    credentials: () => embedded && { url: embedded.url(), username: embedded.username, password: embedded.password },
    onMove: (listener) => embedded?.onChange(listener) ?? (() => undefined),
    describe: embedded === undefined ? `ClickHouse at ${new URL(target.url()).host}` : "embedded ClickHouse",
    check: () => checkEngine(engine, getReady, embedded),
    isUnavailable: (cause) => isFailure(cause) && cause.kind !== "refused",
    close,
  };
}

/** The database the warehouse is in, and the cluster that is on. */
export function warehousePlace(config: Config): { database: string; cluster: string | undefined } {
  const database = config.CLICKHOUSE_URL === undefined ? DATABASE : readUrl(config.CLICKHOUSE_URL).database;
  return { database, cluster: config.CLICKHOUSE_CLUSTER || undefined };
}

/** For a command beside the service: the configured ClickHouse, or the child of the service that runs here. */
export function openRunningAnalytics(config: Config, paths: DataPaths): AnalyticsEngine {
  if (config.CLICKHOUSE_URL !== undefined)
    return connectAnalytics({ ...readUrl(config.CLICKHOUSE_URL), settings: settingsOf(config) });
  const running = findRunning(paths)?.engine;
  if (running === undefined) throw new EngineStartError("the embedded engine runs inside the service: start it first");
  return connectAnalytics({ ...running, url: () => running.url, database: DATABASE });
}

async function startEmbedded(config: Config, paths: DataPaths, log: EngineLog): Promise<EmbeddedEngine> {
  try {
    return await startEmbeddedEngine({
      dir: paths.engine,
      log,
      limits: {
        querySeconds: config.QUERY_TIMEOUT_MS / 1000,
        queryMemoryBytes: config.QUERY_MEMORY_MB * 1024 * 1024,
        runningQueries: config.QUERY_CONCURRENCY,
      },
    });
  } catch (cause) {
    throw new EngineStartError((cause as Error).message.split("\n")[0], { cause });
  }
}

function settingsOf(config: Config): QuerySettings {
  return config.CLICKHOUSE_CLUSTER === "" ? {} : CLUSTER_SETTINGS;
}

function credentialsOf(embedded: EmbeddedEngine) {
  return { url: () => embedded.url(), username: embedded.username, password: embedded.password };
}

/** User, password and database may stand in the URL, as ClickHouse's own clients take them. */
function readUrl(text: string) {
  const parsed = new URL(text);
  const database = parsed.pathname.replaceAll("/", "") || DATABASE;
  const username = decodeURIComponent(parsed.username) || "default";
  const password = decodeURIComponent(parsed.password);
  const origin = parsed.origin;
  return { url: () => origin, username, password, database };
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
