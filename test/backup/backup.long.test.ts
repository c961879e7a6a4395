import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { backup, restore } from "../../src/backup/run.ts";
import { migrateControl } from "../../src/control/migrate.ts";
import type { ControlSchema } from "../../src/control/schema.ts";
import { openPostgres } from "../../src/engines/control-postgres.ts";
import { type Backlog, readBacklog } from "../../src/ingest/backlog.ts";
import type { Position } from "../../src/ingest/log-position.ts";
import { encodeRequest } from "../../src/ingest/logged-request.ts";
import { openAnalytics } from "../../src/installation/analytics-engine.ts";
import { readConfig } from "../../src/installation/config.ts";
import { dataPaths, prepareDataDir, readOrCreateId } from "../../src/installation/data-dir.ts";
import { createInstallation } from "../../src/installation/installation.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { nodeFiles } from "../../src/lib/files.ts";
import { QUIET } from "../../src/lib/tolerate.ts";
import { quietLog } from "../support/control.ts";
import { sampleEvent } from "../support/events.ts";
import { openTestLog } from "../support/faulty-files.ts";
import { call, fillInstallation, type Place, readAnswers, sendEvents } from "../support/installation.ts";
import { createDatabase } from "../support/postgres.ts";
import { startProcess } from "../support/process.ts";
import { MAIN, makeDataDir, readCredentials, serviceEnv, startService, type TestService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";
import { connectWarehouse, selectNumber } from "../support/warehouse.ts";

const LIMITS_OFF = { SEXTANT_API_RATE_PER_SECOND: "100000", SEXTANT_API_RATE_BURST: "100000" };

async function run(dir: string, args: readonly string[], changes: Record<string, string> = {}) {
  const done = startProcess([MAIN, ...args], serviceEnv(dir, changes));
  return { code: await done.exited, out: done.stdout(), err: done.stderr() };
}

function placeOf(service: TestService, keys: { apiKey: string; writeKey: string }): Place {
  return { apiUrl: service.apiUrl, eventsUrl: service.eventsUrl, apiKey: keys.apiKey, writeKey: keys.writeKey };
}

const COUNTS = { events: "count(*)", parked_events: "count(*)", ledger: "sum(events)" };

/** The number of a project's events in each table that is not derived. */
async function countRows(dataDir: string, projectId: string): Promise<Record<string, number>> {
  const engine = connectWarehouse(dataDir);
  try {
    const counts: Record<string, number> = {};
    for (const [table, what] of Object.entries(COUNTS))
      counts[table] = await selectNumber(engine, `SELECT ${what} AS n FROM ${table} WHERE project_id = '${projectId}'`);
    return counts;
  } finally {
    await engine.close();
  }
}

async function readIds(dataDir: string, projectId: string): Promise<string[]> {
  const engine = connectWarehouse(dataDir);
  try {
    const { rows } = await engine.select<{ id: string }>(
      `SELECT message_id AS id FROM events WHERE project_id = '${projectId}'`,
    );
    return rows.map(({ id }) => id);
  } finally {
    await engine.close();
  }
}

/** The cursor of the engine while its service is down. */
async function readCursor(dataDir: string): Promise<Position> {
  const paths = dataPaths(dataDir);
  const config = readConfig(serviceEnv(dataDir));
  const analytics = await openAnalytics(config, paths, QUIET, { prepare: async () => undefined });
  try {
    const store = await analytics.engine.openBatchStore({ nodeId: readOrCreateId(paths), cursorFile: paths.cursor });
    return (await store.position()).done;
  } finally {
    await analytics.close();
  }
}

/** An event that the service accepted and had not stored when it was stopped. */
async function acceptOneMore(dataDir: string): Promise<void> {
  const paths = dataPaths(dataDir);
  const consumed = await readCursor(dataDir);
  const log = await openTestLog(paths.log, { consumed });
  const request = { projectId: "p", workspaceId: "w", receivedAtMs: 1, rules: "tracked", idBase: "x" } as const;
  await log.append(encodeRequest({ ...request, lines: false }, Buffer.from(JSON.stringify(sampleEvent("late")))));
  await log.close();
}

async function backlogOf(dataDir: string): Promise<Backlog> {
  return readBacklog(nodeFiles, dataPaths(dataDir).log, await readCursor(dataDir));
}

function removeAll(...all: { remove(): void }[]): void {
  for (const data of all) data.remove();
}

describe("sextant backup and restore", () => {
  const [source, target] = [makeDataDir(), makeDataDir()];
  const backupDir = join(source.dir, "../backup");
  let hook: Server;
  let service: TestService;
  let answers: Record<string, unknown>;
  let counts: Record<string, number>;
  let formId = "";
  const acknowledged: string[] = [];
  const sent: string[] = [];
  let other: { projectId: string; writeKey: string };
  let keys: ReturnType<typeof readCredentials>;

  before(async () => {
    hook = createServer((request, response) => request.resume().on("end", () => response.end())).listen(0, "127.0.0.1");
    service = await startService(source.dir, LIMITS_OFF);
    keys = readCredentials(source.dir);
    const place = placeOf(service, keys);
    const made = await fillInstallation(place, `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook`);
    formId = made.formId;
    await waitFor("both deliveries", async () => {
      const log = await call<{ data: { state: string }[] }>(place, "GET", `/api/webhooks/${made.webhookId}/deliveries`);
      return log.data.length === 2 && log.data.every(({ state }) => state === "delivered");
    });
    const busy = JSON.parse((await run(source.dir, ["--json", "projects", "create", "Busy"])).out) as { id: string };
    const key = await run(source.dir, ["--json", "write-keys", "create", "--project", busy.id]);
    other = { projectId: busy.id, writeKey: (JSON.parse(key.out) as { writeKey: string }).writeKey };
    counts = await countRows(source.dir, keys.projectId);
    answers = await readAnswers(place, formId);
    await backUpUnderLoad(place);
  });
  after(async () => {
    hook.close();
    await service.kill("SIGKILL");
    removeAll(source, target);
  });

  async function backUpUnderLoad(place: Place): Promise<void> {
    let loading = true;
    const load = (async () => {
      for (let number = 0; loading; number += 1) {
        const ids = Array.from({ length: 20 }, (_, i) => `load-${number}-${i}`);
        sent.push(...ids);
        await sendEvents(
          place,
          ids.map((id) => sampleEvent(id)),
          other.writeKey,
        );
        acknowledged.push(...ids);
        // 20 events every 10 ms: the restored log must have them all.
        await delay(10);
      }
    })();
    await waitFor("the load", () => acknowledged.length > 400);
    const before = acknowledged.length;
    const done = await run(source.dir, ["backup", backupDir]);
    loading = false;
    await load;
    acknowledged.length = before;
    assert.equal(done.code, 0, done.err);
    assert.match(done.err, /Warning: the backup holds the secret/);
    assert.match(done.err, /\[#{30}\] \d+ of \d+ rows of events/);
    assert.match(done.out, /^Backed up \d+ events, 2 submissions of 1 form and 1 workspace to /);
  }

  test("a restore into an unavailable ClickHouse or a used PostgreSQL is refused before it writes", async (t) => {
    const [fresh, database] = [makeDataDir(), await createDatabase()];
    t.after(async () => {
      await database.drop();
      fresh.remove();
    });
    await service.kill("SIGTERM");
    await assert.rejects(restoreHere(fresh.dir, backupDir, { SEXTANT_CLICKHOUSE_URL: "http://127.0.0.1:1" }), {
      name: "BackupError",
      message: /did not finish: the analytics engine failed: .*ECONNREFUSED/,
    });
    const store = await openPostgres<ControlSchema>(database.url, quietLog);
    await migrateControl(store, systemClock);
    await store.close();
    await assert.rejects(restoreHere(fresh.dir, backupDir, { SEXTANT_DATABASE_URL: database.url }), {
      name: "BackupError",
      message: /the control store is already in use/,
    });
    assert.ok(!existsSync(fresh.dir));
  });

  test("a restored installation has the same reports, rows, forms and webhooks, and its keys still work", async (t) => {
    const done = await run(target.dir, ["restore", backupDir]);
    assert.equal(done.code, 0, done.err);
    const restored = await startService(target.dir, LIMITS_OFF);
    t.after(() => restored.kill("SIGKILL"));
    const place = placeOf(restored, keys);
    await waitFor(
      "the log to drain",
      async () => {
        const metrics = await (await fetch(`${restored.opsUrl}/metrics`)).text();
        return /^sextant_log_oldest_seconds 0$/m.test(metrics);
      },
      // The log has every event that arrived while the backup was taken.
      60_000,
    );
    assert.deepEqual(await countRows(target.dir, keys.projectId), counts);
    const busy = await countRows(target.dir, other.projectId);
    assert.equal(busy.ledger, busy.events, "the ledger tells of every event that was received, once");
    assert.deepEqual(await readAnswers(place, formId), answers);
    const ids = await readIds(target.dir, other.projectId);
    const found = new Set(ids);
    assert.equal(found.size, ids.length, "each counts once");
    assert.deepEqual(
      acknowledged.filter((id) => !found.has(id)),
      [],
      "none is lost that was acknowledged before the backup began",
    );
    const known = new Set(sent);
    assert.deepEqual(
      ids.filter((id) => !known.has(id)),
      [],
    );

    await sendEvents(place, [sampleEvent("after the restore")]);
    await waitFor("a new event", async () => (await readIds(target.dir, keys.projectId)).includes("after the restore"));
    assert.equal(await restored.kill("SIGTERM"), 0);
  });

  test("only the owner can read a backup, and it holds no key in clear text", () => {
    assert.equal(statSync(backupDir).mode & 0o777, 0o700);
    for (const name of readdirSync(backupDir, { recursive: true, encoding: "utf8" })) {
      const path = join(backupDir, name);
      if (!statSync(path).isFile()) continue;
      assert.equal(statSync(path).mode & 0o777, 0o600, name);
      assert.ok(!readFileSync(path).includes(keys.apiKey), name);
    }
  });

  const refusals: [string, (dir: string) => void, RegExp][] = [
    ["a changed file", (dir) => writeFileSync(join(dir, "control/forms.jsonl.zst"), "x"), /damaged: control\/forms/],
    ["no manifest", (dir) => writeFileSync(join(dir, "manifest.json"), ""), /holds no finished backup/],
    [
      "a newer control store",
      (dir) => edit(dir, "control", { schema: 99 }),
      /control has schema version 99, this Sextant knows \d+/,
    ],
    [
      "a newer warehouse",
      (dir) => edit(dir, "warehouse", { schema: 99 }),
      /warehouse has schema version 99, this Sextant knows \d+/,
    ],
    ["an older format", (dir) => write(dir, { format: 1 }), /has format 1, this Sextant reads 2/],
    ["a path that leads out", (dir) => swap(dir, '"secret"', '"../secret"'), /manifest\.json is damaged/],
  ];
  for (const [what, damage, message] of refusals) {
    test(`a restore from a backup with ${what} is refused before anything is written`, async (t) => {
      const [copy, fresh] = [makeDataDir(), makeDataDir()];
      t.after(() => removeAll(copy, fresh));
      cpSync(backupDir, copy.dir, { recursive: true });
      damage(copy.dir);
      await assert.rejects(restoreHere(fresh.dir, copy.dir), { name: "BackupError", message });
      assert.ok(!existsSync(fresh.dir));
    });
  }

  test("a restore refuses a directory that is not empty, and a service does not start on half a restore", async (t) => {
    await assert.rejects(restoreHere(source.dir, backupDir), /is not empty/);
    const half = makeDataDir();
    t.after(half.remove);
    mkdirSync(half.dir);
    writeFileSync(join(half.dir, "restore-unfinished"), "");
    assert.throws(() => prepareDataDir(dataPaths(half.dir)), /a restore into it did not finish/);
  });

  test("a stopped service can be backed up; without the secret a restore needs the secret file's text", async (t) => {
    const [copy, fresh] = [makeDataDir(), makeDataDir()];
    t.after(() => removeAll(copy, fresh));
    await acceptOneMore(source.dir);
    const installation = createInstallation(readConfig(serviceEnv(source.dir)));
    const options = { dir: copy.dir, withSecret: false, onProgress: () => undefined };
    const saved = await backup(installation, "0", options);
    assert.deepEqual([saved.secret, existsSync(join(copy.dir, "secret"))], ["left out", false]);
    await assert.rejects(backup(installation, "0", options), /is not empty: a backup needs an empty directory/);
    await assert.rejects(restoreHere(fresh.dir, copy.dir), /contains no secret: set SEXTANT_SECRET/);
    const wrong = { SEXTANT_SECRET: "x".repeat(43) };
    await assert.rejects(restoreHere(fresh.dir, copy.dir, wrong), /SEXTANT_SECRET is not the secret/);
    assert.ok(!existsSync(fresh.dir));
    const text = readFileSync(join(source.dir, "secret"), "utf8");
    const { events: saidEvents = 0 } = saved.warehouse.rows;
    edit(copy.dir, "warehouse", { rows: { events: saidEvents + 1 } });
    edit(copy.dir, "control", { rows: {} });
    const restored = await restoreHere(fresh.dir, copy.dir, { SEXTANT_SECRET: text.trim() });
    assert.equal(readFileSync(join(fresh.dir, "secret"), "utf8"), text);
    const rows = restored.warehouse.rows.events ?? 0;
    assert.deepEqual(
      restored.warehouse.rows,
      saved.warehouse.rows,
      "what was taken counts, not what the manifest says",
    );
    assert.deepEqual(restored.control.rows, saved.control.rows);
    const [theirs, ours] = [await backlogOf(source.dir), await backlogOf(fresh.dir)];
    assert.ok(theirs.oldestMs !== undefined);
    assert.deepEqual(ours, theirs, "what was accepted and not stored waits in the restored log");
    assert.ok(
      rows >= (counts.events ?? 0) + acknowledged.length,
      "what was stored before the stop is in a cold backup",
    );
  });

  const restoreHere = (dataDir: string, dir: string, changes: Record<string, string> = {}) =>
    restore(createInstallation(readConfig(serviceEnv(dataDir, changes))), { dir, onProgress: () => undefined });

  function edit(dir: string, part: string, changes: object): void {
    const manifest = JSON.parse(readFileSync(join(dir, "manifest.json"), "utf8")) as Record<string, object>;
    write(dir, { ...manifest, [part]: { ...manifest[part], ...changes } });
  }

  function write(dir: string, manifest: object): void {
    writeFileSync(join(dir, "manifest.json"), JSON.stringify(manifest));
  }

  function swap(dir: string, from: string, to: string): void {
    const path = join(dir, "manifest.json");
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(`"path": ${from}`, `"path": ${to}`));
  }
});
