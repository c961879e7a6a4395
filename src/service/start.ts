import { once } from "node:events";
import type { Config } from "../installation/config.ts";
import { dataPaths, lockDataDir, prepareDataDir } from "../installation/data-dir.ts";
import { startEmbedded } from "../installation/embedded-engine.ts";
import { createLog, type ServiceLog } from "./log.ts";
import { createStopper, type Stopper } from "./stopper.ts";

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
  const lock = lockDataDir(paths);
  stopper.add("data directory", lock.release);

  // The engine's process starts on one core while this one loads 1,700 modules on the other: with other work beside it,
  // a start took 2.8 s instead of 3.6. A start that ends before the engine is ready leaves it without a parent, and it ends by itself.
  const embedded = config.CLICKHOUSE_URL === undefined ? startEmbedded(config, paths, log) : undefined;
  embedded?.then(
    (engine) => stopper.add("embedded engine", () => engine.stop()),
    // Reported where it is awaited, if the control store has not failed before.
    () => undefined,
  );
  const { openService } = await import("./open-service.ts");
  await openService({ config, version, paths, lock, embedded, log, stopper });
}

/** The first signal asks for a clean stop; a second one ends the process at once. */
async function waitForSignal(): Promise<string> {
  const first = await Promise.race(["SIGINT", "SIGTERM"].map(async (name) => once(process, name).then(() => name)));
  for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => process.exit(130));
  return first;
}
