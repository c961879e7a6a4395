import { existsSync } from "node:fs";
import type { Config } from "./config.ts";
import { checkSecret } from "./control/check-secret.ts";
import { migrateControl } from "./control/migrate.ts";
import type { ControlSchema } from "./control/schema.ts";
import type { ControlStore } from "./control/store.ts";
import { ControlOpenError } from "./engines/control.ts";
import { openPostgres } from "./engines/control-postgres.ts";
import { openSqlite } from "./engines/control-sqlite.ts";
import { DataDirError, dataPaths, readOrCreateSecret } from "./engines/data-dir.ts";
import { systemClock } from "./lib/clock.ts";
import { QUIET, type WarnLog } from "./lib/tolerate.ts";

/** Which store the settings name, brought to the newest schema. A command beside the service must not create an empty one. */
export async function openControl(
  config: Config,
  mode: "create" | "existing",
  log: WarnLog = QUIET,
): Promise<{ store: ControlStore; secret: Buffer; close(): Promise<void> }> {
  const paths = dataPaths(config.DATA_DIR);
  const needsFiles = config.DATABASE_URL === undefined || config.SECRET === undefined;
  if (
    mode === "existing" &&
    needsFiles &&
    !existsSync(config.DATABASE_URL === undefined ? paths.control : paths.secret)
  ) {
    throw new DataDirError(
      `there is no Sextant data in ${paths.root}: start the service once, or set SEXTANT_DATA_DIR`,
    );
  }
  const secret = config.SECRET === undefined ? readOrCreateSecret(paths) : Buffer.from(config.SECRET, "utf8");
  const store = await openStore(config, log);
  try {
    await migrateControl(store, systemClock);
    await checkSecret(store, secret);
  } catch (cause) {
    await store.close();
    if (cause instanceof ControlOpenError) throw cause;
    throw new ControlOpenError(`cannot use the control store: ${(cause as Error).message}`, cause);
  }
  return { store, secret, close: () => store.close() };
}

/** The store the settings name, as it is. */
export async function openStore(config: Config, log: WarnLog = QUIET): Promise<ControlStore> {
  return config.DATABASE_URL === undefined
    ? openSqlite<ControlSchema>(dataPaths(config.DATA_DIR).control)
    : openPostgres<ControlSchema>(config.DATABASE_URL, log);
}
