import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { EmbeddedEngine } from "../engines/duckdb/process/supervisor.ts";
import type { Config } from "../installation/config.ts";
import { dataPaths, findModeProblem, lockDataDir, prepareDataDir } from "../installation/data-dir.ts";
import { startEmbedded } from "../installation/embedded-engine.ts";
import { createLog, type ServiceLog } from "./log.ts";
import { createStopper, type Stopper } from "./stopper.ts";

/** An engine takes 0.6 s to be ready. */
const ENGINE_READY_MS = 2_000;

/** Starts everything in order, waits for a signal, and stops everything in reverse. */
export async function runService(config: Config, version: string): Promise<void> {
  const log = createLog(config);
  const stopper = createStopper(log);
  const signal = waitForSignal();
  try {
    // A signal also ends a start that is slow or hangs: what is open by then is closed below.
    await Promise.race([start(config, version, log, stopper), signal]);
  } catch (cause) {
    await stopper.stop();
    throw cause;
  }
  log.info({ signal: await signal }, "stopping");
  const inTime = await stopper.stop();
  if (!inTime) log.warn("the shutdown did not finish within 10 s");
  // Whatever still keeps the event loop alive, such as a client that never ends its request, must not keep the process.
  process.exit(inTime ? 0 : 1);
}

async function start(config: Config, version: string, log: ServiceLog, stopper: Stopper): Promise<void> {
  const paths = dataPaths(config.DATA_DIR);
  prepareDataDir(paths);
  const problem = findModeProblem(paths);
  if (problem !== undefined) log.warn(problem);
  const lock = lockDataDir(paths);
  stopper.add("data directory", lock.release);

  // The engine's process starts on one core while this one loads 1,200 modules on the other: with other work beside it,
  // a start took 2.8 s instead of 3.6.
  const embedded = config.CLICKHOUSE_URL === undefined ? startEmbedded(config, paths, log) : undefined;
  // A failure is reported where it is awaited, if the control store has not failed before.
  const ready = embedded?.catch(() => undefined);
  stopper.add("embedded engine", () => stopEngine(ready));
  const { openService } = await import("./open-service.ts");
  await openService({ config, version, paths, lock, embedded, log, stopper });
}

/**
 * A start may be refused before the engine is ready: the engine's process would still hold the warehouse for a moment.
 * One that is not ready in time ends by itself, when it has no parent any more.
 */
async function stopEngine(ready: Promise<EmbeddedEngine | undefined> | undefined): Promise<void> {
  const engine = await Promise.race([ready, delay(ENGINE_READY_MS, undefined, { ref: false })]);
  await engine?.stop();
}

/** The first signal asks for a clean stop; a second one ends the process at once. */
async function waitForSignal(): Promise<string> {
  const first = await Promise.race(["SIGINT", "SIGTERM"].map(async (name) => once(process, name).then(() => name)));
  for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => process.exit(130));
  return first;
}
