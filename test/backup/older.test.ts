import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { toBackupError } from "../../src/backup/manifest.ts";
import { backup, restore } from "../../src/backup/run.ts";
import { checkSecret } from "../../src/control/check-secret.ts";
import { findControlVersion, migrateControl, NEWEST_CONTROL } from "../../src/control/migrate.ts";
import { createWorkspace, listWorkspaces } from "../../src/control/tenants.ts";
import { NEWEST_SCHEMA } from "../../src/engines/duckdb/newest-schema.ts";
import { EngineDown } from "../../src/engines/failures.ts";
import { openAnalytics } from "../../src/installation/analytics-engine.ts";
import { readConfig } from "../../src/installation/config.ts";
import { openExistingControl, openStore } from "../../src/installation/control-store.ts";
import { dataPaths, prepareDataDir, readOrCreateSecret } from "../../src/installation/data-dir.ts";
import { createInstallation } from "../../src/installation/installation.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { QUIET } from "../../src/lib/tolerate.ts";
import { makeDataDir, serviceEnv } from "../support/service.ts";

const quiet = () => undefined;

test("a backup before an upgrade leaves both stores at the older schema, and restores them upgraded", async (t) => {
  const [older, copy, fresh] = [makeDataDir(), makeDataDir(), makeDataDir()];
  t.after(() => {
    for (const data of [older, copy, fresh]) data.remove();
  });
  const config = readConfig(serviceEnv(older.dir));
  const paths = dataPaths(older.dir);
  prepareDataDir(paths);
  const store = await openStore(config);
  await migrateControl(store, systemClock, NEWEST_CONTROL - 1);
  await checkSecret(store, readOrCreateSecret(paths));
  await store.write((tx) => createWorkspace(tx, "Older", 1));
  const analytics = await openAnalytics(config, paths, QUIET, {
    prepare: (engine) => engine.schema.migrate({ upTo: NEWEST_SCHEMA - 1 }),
  });
  await analytics.close();

  await assert.rejects(openExistingControl(config, "refused"), /start the service, it upgrades by itself/);
  writeFileSync(copy.dir, "");
  await assert.rejects(
    backup(createInstallation(config), "0", { dir: copy.dir, withSecret: true, onProgress: quiet }),
    {
      name: "BackupError",
      message: /^the backup in .* did not finish: it is not a directory/,
    },
  );
  const dir = `${copy.dir}-2`;
  const saved = await backup(createInstallation(config), "0", { dir, withSecret: true, onProgress: quiet });
  assert.deepEqual([saved.control.schema, saved.warehouse.schema], [NEWEST_CONTROL - 1, NEWEST_SCHEMA - 1]);
  assert.equal(await findControlVersion(store.read), NEWEST_CONTROL - 1);
  await store.close();

  await restore(createInstallation(readConfig(serviceEnv(fresh.dir))), { dir, onProgress: quiet });
  const restored = await openExistingControl(readConfig(serviceEnv(fresh.dir)), "refused");
  t.after(restored.close);
  assert.deepEqual(
    (await listWorkspaces(restored.store.read)).map(({ name }) => name),
    ["Older"],
  );
});

test("an external failure ends a backup with one line; a bug keeps its stack", () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", syscall: "write" });
  const lines: [Error, string][] = [
    [full, "the backup did not finish: ENOSPC: no space left on device, write"],
    [new EngineDown("aborted"), "the backup did not finish: the analytics engine failed: aborted"],
  ];
  for (const [cause, message] of lines) {
    const told = toBackupError("the backup", cause) as Error;
    assert.deepEqual([told.name, told.message], ["BackupError", message]);
  }
  const bug = new TypeError("x is not a function");
  assert.equal(toBackupError("the backup", bug), bug);
});
