import { existsSync } from "node:fs";
import { type Config, ConfigError } from "./config.ts";
import type { ControlStore } from "./control/store.ts";
import { checkBacklog } from "./doctor/backlog.ts";
import { type Check, type CheckResult, fail, ok, runChecks, skip, warn } from "./doctor/check.ts";
import { checkDataDir, checkDisk, checkNode, checkPorts, checkReady } from "./doctor/machine.ts";
import {
  checkClock,
  checkControl,
  checkEngine,
  checkSecret,
  readEngineClock,
  readStoreClock,
} from "./doctor/stores.ts";
import {
  type DataPaths,
  dataPaths,
  findRunning,
  isDataDirInUse,
  readOrCreateId,
  readOrCreateSecret,
} from "./engines/data-dir.ts";
import type { AnalyticsEngine } from "./engines/port.ts";
import { readBacklog } from "./ingest/backlog.ts";
import { nodeFiles } from "./lib/files.ts";
import { openRunningAnalytics } from "./open-analytics.ts";
import { openStore } from "./open-control.ts";

/** Looks at an installation, running or not, and changes nothing in it. */
export async function examine(readConfig: () => Config): Promise<CheckResult[]> {
  let config: Config;
  try {
    config = readConfig();
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    return cause.message.split("\n").map((line) => fail("settings", line, "docs/configuration.md lists every setting"));
  }
  const paths = dataPaths(config.DATA_DIR);
  const isRunning = isDataDirInUse(paths);
  const database = config.DATABASE_URL;
  const hasStore = database !== undefined || existsSync(paths.control);
  return runChecks({
    settings: () => checkSettings(config),
    node: () => checkNode(process.versions.node),
    "data directory": () => checkDataDir(paths),
    "disk space": () => checkDisk(paths.root, config.LOG_MAX_MB),
    service: () => checkService(config, paths, isRunning),
    ...(hasStore ? storeChecks(config, paths) : {}),
    ...(config.CLICKHOUSE_URL !== undefined || isRunning
      ? engineChecks(config, paths, isRunning)
      : { "analytics engine": () => [skip("analytics engine", "not checked: it runs with the service")] }),
  });
}

function checkSettings(config: Config): CheckResult[] {
  const isLocal = /^(localhost|127\.|::1$)/.test(config.OPS_HOST);
  if (isLocal) return [ok("settings", "every one is known and well-formed")];
  const advice = "keep it behind a firewall: it asks for no credentials";
  return [warn("settings", `the operations port listens on ${config.OPS_HOST}`, advice)];
}

async function checkService(config: Config, paths: DataPaths, isRunning: boolean): Promise<CheckResult[]> {
  if (isRunning) {
    const opsUrl = findRunning(paths)?.opsUrl;
    return opsUrl === undefined ? [skip("service", "not checked: it has not announced itself")] : checkReady(opsUrl);
  }
  const { HOST, OPS_HOST, API_PORT, EVENTS_PORT, OPS_PORT } = config;
  return checkPorts([
    { setting: "API_PORT", host: HOST, port: API_PORT },
    { setting: "EVENTS_PORT", host: HOST, port: EVENTS_PORT },
    { setting: "OPS_PORT", host: OPS_HOST, port: OPS_PORT },
  ]);
}

function storeChecks(config: Config, paths: DataPaths): Record<string, Check> {
  const use = (work: (store: ControlStore) => Promise<CheckResult[]>) => async () => {
    const store = await openStore(config);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const fromFile = () => (existsSync(paths.secret) ? readOrCreateSecret(paths) : undefined);
  const secret = () => (config.SECRET === undefined ? fromFile() : Buffer.from(config.SECRET, "utf8"));
  return {
    "control store": use(checkControl),
    secret: use((store) => checkSecret(store, secret())),
    ...(config.DATABASE_URL === undefined
      ? {}
      : { "control store's clock": use((store) => checkClock("control store's clock", () => readStoreClock(store))) }),
  };
}

function engineChecks(config: Config, paths: DataPaths, isRunning: boolean): Record<string, Check> {
  const use = (work: (engine: AnalyticsEngine) => Promise<CheckResult[]>) => async () => {
    const engine = openRunningAnalytics(config, paths);
    try {
      return await work(engine);
    } finally {
      await engine.close();
    }
  };
  const isOutside = config.CLICKHOUSE_URL !== undefined;
  return {
    "analytics engine": use((engine) => checkEngine(engine, isOutside ? "ClickHouse" : "DuckDB")),
    ...(isOutside
      ? { "engine's clock": use((engine) => checkClock("engine's clock", () => readEngineClock(engine))) }
      : {}),
    ...(existsSync(isOutside ? paths.cursor : paths.nodeId)
      ? { "event log": use((engine) => checkLog(engine, paths, isRunning)) }
      : {}),
  };
}

async function checkLog(engine: AnalyticsEngine, paths: DataPaths, isRunning: boolean): Promise<CheckResult[]> {
  const store = await engine.openBatchStore({ nodeId: readOrCreateId(paths), cursorFile: paths.cursor });
  const { done } = await store.position();
  await store.close();
  return checkBacklog(await readBacklog(nodeFiles, paths.log, done), Date.now(), isRunning);
}
