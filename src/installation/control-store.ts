import { existsSync } from "node:fs";
import { checkSecret, compareSecret } from "../control/check-secret.ts";
import { findControlVersion, migrateControl, refuseUnfit } from "../control/migrate.ts";
import type { ControlSchema } from "../control/schema.ts";
import type { ControlStore } from "../control/store.ts";
import { ControlOpenError } from "../engines/control.ts";
import { openSqlite } from "../engines/control-sqlite.ts";
import { systemClock } from "../lib/clock.ts";
import { QUIET, type WarnLog } from "../lib/tolerate.ts";
import type { Config } from "./config.ts";
import { DataDirError, type DataPaths, dataPaths, readOrCreateSecret } from "./data-dir.ts";

interface OpenedControl {
  store: ControlStore;
  secret: Buffer;
  close(): Promise<void>;
}

/** For the service: opens the store of the settings, creates it if necessary, and migrates it to the newest schema. */
export async function openControl(config: Config, log: WarnLog): Promise<OpenedControl> {
  const secret = readSecret(config, dataPaths(config.DATA_DIR));
  return openWith(config, secret, log, async (store) => {
    await migrateControl(store, systemClock);
    await checkSecret(store, secret);
  });
}

/**
 * For a command, which creates and migrates nothing. A backup accepts an older schema, because it is taken before an
 * upgrade as a way back. Other commands support only the newest schema.
 */
export async function openExistingControl(config: Config, older: "accepted" | "refused"): Promise<OpenedControl> {
  const paths = dataPaths(config.DATA_DIR);
  const noStore = config.DATABASE_URL === undefined && !existsSync(paths.control);
  const noSecret = config.SECRET === undefined && !existsSync(paths.secret);
  if (noStore || (noSecret && config.DATABASE_URL !== undefined))
    throw new DataDirError(
      `there is no Sextant data in ${paths.root}: start the service once, or set SEXTANT_DATA_DIR`,
    );
  if (noSecret) throw new DataDirError(`${paths.secret} is missing: put it back, or set SEXTANT_SECRET`);
  const secret = readSecret(config, paths);
  return openWith(config, secret, QUIET, async (store) => {
    refuseUnfit(await findControlVersion(store.read), older);
    await compareSecret(store, secret);
  });
}

function readSecret(config: Config, paths: DataPaths): Buffer {
  return config.SECRET === undefined ? readOrCreateSecret(paths) : Buffer.from(config.SECRET, "utf8");
}

async function openWith(
  config: Config,
  secret: Buffer,
  log: WarnLog,
  prepare: (store: ControlStore) => Promise<void>,
): Promise<OpenedControl> {
  const store = await openStore(config, log);
  try {
    await prepare(store);
  } catch (cause) {
    await store.close();
    if (cause instanceof ControlOpenError) throw cause;
    throw new ControlOpenError(`cannot use the control store: ${(cause as Error).message}`, cause);
  }
  return { store, secret, close: () => store.close() };
}

/** Opens the store of the settings without migrating it. PostgreSQL's client is loaded on demand: it takes 60 ms. */
export async function openStore(config: Config, log: WarnLog = QUIET): Promise<ControlStore> {
  if (config.DATABASE_URL === undefined) return openSqlite<ControlSchema>(dataPaths(config.DATA_DIR).control);
  const { openPostgres } = await import("../engines/control-postgres.ts");
  return openPostgres<ControlSchema>(config.DATABASE_URL, log);
}
