import { existsSync } from "node:fs";
import { findControlVersion, NEWEST_CONTROL } from "../control/migrate.ts";
import { listRuns } from "../control/retention.ts";
import { findClockProblem } from "../control/retention-clock.ts";
import type { ControlStore } from "../control/store.ts";
import { readStoreClock } from "../control/store-clock.ts";
import { readEngineClock } from "../engines/engine-clock.ts";
import type { AnalyticsEngine } from "../engines/port.ts";
import { readBacklog } from "../ingest/backlog.ts";
import { type Config, ConfigError } from "../installation/config.ts";
import {
  type DataPaths,
  findRunning,
  isDataDirInUse,
  readOrCreateId,
  readOrCreateSecret,
} from "../installation/data-dir.ts";
import type { Installation } from "../installation/installation.ts";
import { isPrivateTrial } from "../installation/private-trial.ts";
import type { Warehouse } from "../installation/warehouse.ts";
import { nodeFiles } from "../lib/files.ts";
import { checkBacklog } from "./backlog.ts";
import { type Check, type CheckResult, fail, ok, runChecks, skip, warn } from "./check.ts";
import { checkDataDir, checkDisk, checkNode, checkPorts, checkReady } from "./machine.ts";
import { checkMail } from "./mail.ts";
import { checkClock, checkControl, checkEngine, checkSecret } from "./stores.ts";

/** Checks an installation, running or not, and changes nothing in it. */
export async function examine(findInstallation: () => Promise<Installation>): Promise<CheckResult[]> {
  let installation: Installation;
  try {
    installation = await findInstallation();
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    return cause.message.split("\n").map((line) => fail("settings", line, "docs/configuration.md lists every setting"));
  }
  const { config, paths } = installation;
  const isRunning = isDataDirInUse(paths);
  const database = config.DATABASE_URL;
  const hasStore = database !== undefined || existsSync(paths.control);
  const engine = createEngineUser(installation);
  try {
    return await runChecks({
      settings: () => checkSettings(config),
      "webhook targets": () => checkTargets(config),
      mail: () => checkMail(config),
      node: () => checkNode(process.versions.node),
      "data directory": () => checkDataDir(paths),
      "disk space": () => checkDisk(paths.root, config.LOG_MAX_MB),
      service: () => checkService(config, paths, isRunning),
      ...(hasStore ? storeChecks(installation) : {}),
      ...(config.CLICKHOUSE_URL !== undefined || existsSync(paths.engine)
        ? engineChecks(config, paths, isRunning, engine.use)
        : { "analytics engine": () => [skip("analytics engine", "the first start creates it")] }),
    });
  } finally {
    await engine.close();
  }
}

type UseEngine = (work: (engine: AnalyticsEngine) => Promise<CheckResult[]>) => Check;

/** The engine of the running service, or one that the first check starts and all checks share. */
function createEngineUser(installation: Installation): { use: UseEngine; close(): Promise<void> } {
  let opened: Promise<Warehouse> | undefined;
  return {
    use: (work) => async () => {
      opened ??= installation.openWarehouse();
      return work((await opened).engine);
    },
    async close() {
      // An engine that could not be opened has failed its check.
      const warehouse = await opened?.catch(() => undefined);
      await warehouse?.close();
    },
  };
}

function checkSettings(config: Config): CheckResult[] {
  const isLocal = /^(localhost|127\.|::1$)/.test(config.OPS_HOST);
  if (isLocal) return [ok("settings", "all settings are known and well-formed")];
  const advice = "keep it behind a firewall: it has no authentication";
  return [warn("settings", `the operations port listens on ${config.OPS_HOST}`, advice)];
}

/** The allowed webhook targets, which result from four settings. */
function checkTargets(config: Config): CheckResult[] {
  const name = "webhook targets";
  const listed = config.WEBHOOK_ALLOW_NETWORKS.join(", ");
  const also = listed === "" ? "" : `, and ${listed}`;
  if (isPrivateTrial(config)) return [ok(name, `public addresses and loopback (a private trial)${also}`)];
  return [ok(name, `public addresses of other machines${also}`)];
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

function storeChecks({ config, paths, openStore }: Installation): Record<string, Check> {
  const use = (work: (store: ControlStore) => Promise<CheckResult[]>) => async () => {
    const store = await openStore();
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
    retention: use(checkRetention),
    secret: use((store) => checkSecret(store, secret())),
    ...(config.DATABASE_URL === undefined
      ? {}
      : { "control store's clock": use((store) => checkClock("control store's clock", () => readStoreClock(store))) }),
  };
}

/** The first problem among the kinds of rows that retention removes. */
async function checkRetention(store: ControlStore): Promise<CheckResult[]> {
  if ((await findControlVersion(store.read)) < NEWEST_CONTROL)
    return [skip("retention", "not checked: the schema is older")];
  const runs = await listRuns(store.read);
  const problems = runs.map(({ ranAtMs }) => findClockProblem({ nowMs: Date.now(), lastRunMs: ranAtMs, otherMs: [] }));
  const [problem] = problems.filter((each) => each !== undefined);
  if (problem === undefined) return [ok("retention", "runs")];
  return [warn("retention", `is paused: ${problem}`, "until then, nothing is removed")];
}

function engineChecks(config: Config, paths: DataPaths, isRunning: boolean, use: UseEngine): Record<string, Check> {
  const isOutside = config.CLICKHOUSE_URL !== undefined;
  return {
    "analytics engine": use((engine) => checkEngine(engine, isOutside ? "ClickHouse" : "DuckDB")),
    ...(isOutside ? { "engine's clock": use((engine) => checkEngineClock(engine)) } : {}),
    ...(existsSync(isOutside ? paths.cursor : paths.nodeId)
      ? { "event log": use((engine) => checkLog(engine, paths, isRunning)) }
      : {}),
  };
}

async function checkEngineClock(engine: AnalyticsEngine): Promise<CheckResult[]> {
  // A database that does not exist yet answers no query, and an engine that cannot be asked has failed its own check.
  const version = await engine.schema.version().catch(() => 0);
  if (version === 0) return [];
  return checkClock("engine's clock", () => readEngineClock(engine));
}

async function checkLog(engine: AnalyticsEngine, paths: DataPaths, isRunning: boolean): Promise<CheckResult[]> {
  const store = await engine.openBatchStore({ nodeId: readOrCreateId(paths), cursorFile: paths.cursor });
  const { done } = await store.position();
  await store.close();
  return checkBacklog(await readBacklog(nodeFiles, paths.log, done), Date.now(), isRunning);
}
