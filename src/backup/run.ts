import { rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { NEWEST_CONTROL } from "../control/migrate.ts";
import { NEWEST_SCHEMA as NEWEST_CLICKHOUSE } from "../engines/clickhouse/migrate.ts";
import { NEWEST_SCHEMA as NEWEST_DUCKDB } from "../engines/duckdb/newest-schema.ts";
import {
  fsyncDirSync,
  lockDataDir,
  prepareDataDir,
  refuseUsedDataDir,
  writePrivateFile,
} from "../installation/data-dir.ts";
import type { Installation } from "../installation/installation.ts";
import { systemClock } from "../lib/clock.ts";
import { refuseUsedStore } from "./control-tables.ts";
import { restoreLog } from "./copy-log.ts";
import {
  BackupError,
  type EngineName,
  type KnownSchemas,
  type Manifest,
  readManifest,
  toBackupError,
} from "./manifest.ts";
import {
  type Backup,
  filesOf,
  findSecret,
  refuseUsedWarehouse,
  restoreControl,
  restoreCursor,
  restoreWarehouse,
  verifyBackup,
} from "./restore.ts";
import { makeEmptyDir, takeBackup } from "./take-backup.ts";
import type { Progress } from "./warehouse-files.ts";

type Report = (progress: Progress) => void;

const KNOWN: KnownSchemas = {
  control: NEWEST_CONTROL,
  warehouse: { duckdb: NEWEST_DUCKDB, clickhouse: NEWEST_CLICKHOUSE },
};

function engineNameOf({ config }: Installation): EngineName {
  return config.CLICKHOUSE_URL === undefined ? "duckdb" : "clickhouse";
}

/** Backs up the configured installation, whether its service runs or not. One that does not run may be of an older version. */
export async function backup(
  installation: Installation,
  version: string,
  options: { dir: string; withSecret: boolean; onProgress: Report },
): Promise<Manifest> {
  const { config, paths } = installation;
  const control = await installation.openControl("accepted");
  try {
    // Checked before an engine is started.
    await makeEmptyDir(options.dir);
    const warehouse = await installation.openWarehouse();
    try {
      const kept = options.withSecret ? { file: paths.secret } : "left out";
      return await takeBackup(
        {
          places: paths,
          store: control.store,
          engine: warehouse.engine,
          engineName: engineNameOf(installation),
          secret: config.SECRET === undefined ? kept : "setting",
        },
        { ...options, dir: resolve(options.dir), version, nowMs: systemClock.nowMs() },
      );
    } finally {
      await warehouse.close();
    }
  } catch (cause) {
    throw toBackupError(`the backup in ${options.dir}`, cause);
  } finally {
    await control.close();
  }
}

/**
 * Fills the configured, empty installation from a backup. Before the first write, the whole backup and every target are
 * checked. Returns the manifest with the numbers of restored rows.
 */
export async function restore(
  installation: Installation,
  options: { dir: string; onProgress: Report },
): Promise<Manifest> {
  const dir = resolve(options.dir);
  const found: Backup = { dir, manifest: await readManifest(dir, KNOWN) };
  const { config, paths } = installation;
  refuseUsedDataDir(paths);
  await verifyBackup(found, options.onProgress);
  const secretFile = await chooseSecret(found, config.SECRET);
  const what = `the restore into ${paths.root}`;
  await refuseUsedDatabases(installation).catch((cause: unknown) => {
    throw toBackupError(what, cause);
  });
  prepareDataDir(paths);
  const lock = lockDataDir(paths);
  try {
    // prepareDataDir refuses while this file exists: a service on half a restore would seem to work.
    writeFileSync(paths.restoring, `${dir}\n`, { mode: 0o600, flush: true });
    fsyncDirSync(paths.root);
    const restored = await fill(installation, found, options.onProgress);
    if (secretFile !== undefined) writePrivateFile(paths.secret, secretFile);
    // All files are on disk before the marker is removed, and the removal is on disk before success is reported.
    fsyncDirSync(paths.root);
    rmSync(paths.restoring);
    fsyncDirSync(paths.root);
    return restored;
  } catch (cause) {
    throw toBackupError(what, cause);
  } finally {
    lock.release();
  }
}

/** Checks the databases outside the data directory; the data directory itself is already known to be empty. */
async function refuseUsedDatabases(installation: Installation): Promise<void> {
  if (installation.config.DATABASE_URL !== undefined) {
    const store = await installation.openStore();
    try {
      await refuseUsedStore(store);
    } finally {
      await store.close();
    }
  }
  if (installation.config.CLICKHOUSE_URL !== undefined) {
    const engine = await installation.openRunningEngine();
    try {
      await refuseUsedWarehouse(engine);
    } finally {
      await engine.close();
    }
  }
}

async function fill(installation: Installation, found: Backup, onProgress: Report): Promise<Manifest> {
  const { control, warehouse } = found.manifest;
  const restored = { ...found.manifest, control: { ...control }, warehouse: { ...warehouse } };
  const store = await installation.openStore();
  try {
    restored.control.rows = await restoreControl(found, store, systemClock, onProgress);
  } finally {
    await store.close();
  }
  await restoreLog(found.dir, filesOf(found.manifest, "log"), installation.paths);
  await installation.prepareEngine(async (engine) => {
    restored.warehouse.rows = await restoreWarehouse(found, engine, onProgress);
    await restoreCursor(found, engine, installation.paths);
  });
  return restored;
}

/**
 * The text for the data directory's `secret` file; undefined if SEXTANT_SECRET holds the secret. A backup without the
 * secret needs SEXTANT_SECRET: either the original setting, or the text of the `secret` file that was left out.
 */
async function chooseSecret(found: Backup, setting: string | undefined): Promise<string | undefined> {
  if (setting !== undefined) {
    const [asIs, asFile] = [Buffer.from(setting, "utf8"), Buffer.from(setting.trim(), "base64url")];
    const secret = await findSecret(found, [asIs, asFile]);
    if (secret === asIs) return undefined;
    if (secret === asFile) return `${setting.trim()}\n`;
    throw new BackupError("SEXTANT_SECRET is not the secret that the keys of this backup were created with");
  }
  if (found.manifest.secret !== "included")
    throw new BackupError("the backup contains no secret: set SEXTANT_SECRET to the one its keys were created with");
  return readFile(join(found.dir, "secret"), "utf8");
}
