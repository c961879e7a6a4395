import assert from "node:assert/strict";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { copyLog, type LogPlaces, restoreLog } from "../../src/backup/copy-log.ts";
import { restoreControl } from "../../src/backup/restore.ts";
import { takeBackup } from "../../src/backup/take-backup.ts";
import type { ControlStore } from "../../src/control/store.ts";
import { claimTask, createTask, endTask, listTasks, saveTask } from "../../src/control/tasks.ts";
import { createProject, createWorkspace } from "../../src/control/tenants.ts";
import type { BatchStore } from "../../src/engines/port.ts";
import { LOG_START, type Position } from "../../src/ingest/log-position.ts";
import { segmentPath } from "../../src/ingest/segment-file.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createControl, createEmptyControl } from "../support/control.ts";
import { openTestLog, type TestLog } from "../support/faulty-files.ts";

const EVENTS = ["e1", "e2", "e3", "e4", "e5"];
const quiet = () => undefined;

/** Of the restored log: what its reader gets from `done` on, and then `more`, which is appended first. */
async function readOn(places: LogPlaces, done: Position, more: readonly string[] = []): Promise<string[]> {
  const log = await open(places.log, done);
  try {
    for (const text of more) await log.append(Buffer.from(text));
    const found: string[] = [];
    for (let at = done; ; ) {
      const { records, next } = await log.read(at, { maxBytes: 1e6, maxRecords: 100 });
      found.push(...records.map(({ payload }) => payload.toString()));
      if (next.segment === at.segment && next.offset === at.offset) return found;
      at = next;
    }
  } finally {
    await log.close();
  }
}

/** Every record gets a segment of its own. */
function open(dir: string, consumed: Position): Promise<TestLog> {
  return openTestLog(dir, { consumed, segmentBytes: 70 });
}

describe("the event log in a backup", () => {
  let root: string;
  let source: LogPlaces;
  let target: LogPlaces;
  /** Where each event begins, and the log's end. */
  let starts: Position[];
  /** The reader's position. */
  let cursor: Position;

  const placesIn = (name: string): LogPlaces => {
    const dir = join(root, name);
    mkdirSync(dir);
    return { log: join(dir, "log"), nodeId: join(dir, "node-id") };
  };
  const segmentOf = (event: number) => segmentPath(source.log, starts[event]?.segment ?? 0);

  const startOf = (event: number) => starts[event] ?? LOG_START;

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "copy-log-"));
    [source, target] = [placesIn("source"), placesIn("target")];
    writeFileSync(source.nodeId, "n1\n");
    const log = await open(source.log, LOG_START);
    starts = [];
    for (const text of EVENTS) starts.push(await log.append(Buffer.from(text)));
    starts.push(log.end());
    await log.close();
    cursor = startOf(1);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  /** `meanwhile` is called after each segment with how many are done, and of how many. */
  async function copyAndRestore(meanwhile: (done: number, total: number) => void = quiet): Promise<void> {
    const backup = join(root, "backup");
    mkdirSync(backup);
    const files = await copyLog(source, backup, ({ done, total }) => meanwhile(done, total));
    const names = readdirSync(join(backup, "log")).map((name) => `log/${name}`);
    assert.deepEqual(files.map(({ path }) => path).sort(), names.sort(), "the manifest names every file");
    await restoreLog(backup, files, target);
  }

  test("a restored log is read from the reader's position, and new events follow", async () => {
    await copyAndRestore();
    assert.deepEqual(await readOn(target, cursor, ["new"]), ["e2", "e3", "e4", "e5", "new"]);
  });

  test("releasing segments during the copy loses no unread event", async () => {
    await copyAndRestore((done) => {
      if (done !== 1) return;
      cursor = startOf(3);
      for (const event of [0, 1, 2]) rmSync(segmentOf(event));
    });
    assert.deepEqual(await readOn(target, cursor), ["e4", "e5"]);
  });

  test("a reader beyond the end of the copy misses no event appended after the restore", async () => {
    const whole = join(root, "whole");
    copyFileSync(segmentOf(4), whole);
    truncateSync(segmentOf(4), 70);
    await copyAndRestore((done, total) => {
      if (done !== total) return;
      copyFileSync(whole, segmentOf(4));
      cursor = startOf(5);
    });
    assert.deepEqual(await readOn(target, cursor, ["new"]), ["new"]);
  });

  test("a reader in a segment newer than the copy misses no event appended after the restore", async () => {
    const whole = join(root, "whole");
    cpSync(source.log, whole, { recursive: true });
    rmSync(segmentOf(4));
    await copyAndRestore((done, total) => {
      if (done !== total) return;
      cpSync(whole, source.log, { recursive: true });
      cursor = startOf(5);
    });
    assert.deepEqual(await readOn(target, cursor, ["new"]), ["new"]);
  });

  /** An engine that says where the log's reader stands, and hears which tables are read. */
  function createEngine(onRead: (table: string) => Promise<void> | void) {
    const store = { position: async () => ({ done: cursor }), close: async () => undefined };
    return {
      async select<T>(sql: string) {
        await onRead(/^FROM (\w+)$/m.exec(sql)?.[1] ?? /FROM (\w+)/.exec(sql)?.[1] ?? "");
        return { rows: [] as T[], statistics: { elapsed: 0, rows_read: 0, bytes_read: 0 } };
      },
      openBatchStore: async () => store as unknown as BatchStore,
      schema: { version: async () => 2 },
    };
  }

  function backUp(store: ControlStore, engine: ReturnType<typeof createEngine>) {
    return takeBackup(
      { places: { ...source, cursor: "" }, store, engine, engineName: "duckdb", secret: "setting" },
      { dir: join(root, "backup"), version: "0", nowMs: 0, onProgress: quiet },
    );
  }

  test("is copied before the warehouse, and the control store last, so no event is missed", async (t) => {
    const control = await createControl("sqlite");
    t.after(control.drop);
    // The warehouse as it is before the writer stores the rest of the log, all of which happens while it is read.
    const engine = createEngine(async (table) => {
      if (table !== "events") return;
      await control.store.write((tx) => createWorkspace(tx, "Made meanwhile", 1));
      cursor = startOf(5);
      for (const event of [0, 1, 2, 3]) rmSync(segmentOf(event), { force: true });
    });
    const dir = join(root, "backup");
    const manifest = await backUp(control.store, engine);
    const files = manifest.files.filter(({ part }) => part === "log");
    await restoreLog(dir, files, target);
    assert.deepEqual(await readOn(target, manifest.cursor ?? LOG_START), ["e2", "e3", "e4", "e5"]);
    assert.equal(manifest.control.rows.workspaces, 1);
  });

  test("has what is appended while the rows are read, so that the ledger will hear of every row", async (t) => {
    const control = await createControl("sqlite");
    t.after(control.drop);
    const whole = join(root, "whole");
    cpSync(source.log, whole, { recursive: true });
    // The newest segment is not full yet, and there is none after it.
    truncateSync(segmentOf(3), 70);
    rmSync(segmentOf(4));
    const engine = createEngine((table) => {
      if (table === "events") cpSync(whole, source.log, { recursive: true });
    });
    const manifest = await backUp(control.store, engine);
    const files = manifest.files.filter(({ part }) => part === "log");
    assert.equal(new Set(files.map(({ path }) => path)).size, files.length);
    await restoreLog(join(root, "backup"), files, target);
    assert.deepEqual(await readOn(target, cursor), ["e2", "e3", "e4", "e5"]);
  });

  test("a task has the progress of the time before the log was copied, so that none of its events is missed", async (t) => {
    const control = await createControl("sqlite");
    t.after(control.drop);
    const claim = { owner: "o", nowMs: 1, leaseMs: 1_000 };
    const made = await control.store.write(async (tx) => {
      const { id: workspaceId } = await createWorkspace(tx, "w", 1);
      const { id: projectId } = await createProject(tx, workspaceId, "p", 1);
      return { workspaceId, projectId, taskId: await createTask(tx, workspaceId, { projectId, kind: "count" }, 1) };
    });
    await claimTask(control.store, ["count"], claim);
    await saveTask(control.store, made.taskId, "o", { done: 1, total: 9, cursor: "one" }, 1_000);
    const engine = createEngine(async (table) => {
      if (table !== "events") return;
      await saveTask(control.store, made.taskId, "o", { done: 9, total: 9, cursor: "nine" }, 1_000);
      await endTask(control.store, made.taskId, "o", { state: "done", message: null, nowMs: 2 });
      const { workspaceId, projectId } = made;
      await control.store.write((tx) => createTask(tx, workspaceId, { projectId, kind: "later" }, 2));
    });
    const manifest = await backUp(control.store, engine);
    const restored = await createEmptyControl("sqlite");
    t.after(restored.drop);
    await restoreControl({ dir: join(root, "backup"), manifest }, restored.store, systemClock, quiet);
    const tasks = await listTasks(restored.store.read, made.workspaceId, 10);
    assert.deepEqual(
      tasks.map(({ kind, state, done, cursor }) => ({ kind, state, done, cursor })),
      [
        { kind: "later", state: "waiting", done: 0, cursor: null },
        { kind: "count", state: "waiting", done: 1, cursor: "one" },
      ],
    );
  });

  test("cursor and ledger are of the same moment: a batch stored between the two reads repeats both", async (t) => {
    const control = await createControl("sqlite");
    t.after(control.drop);
    const seen: Position[] = [];
    const engine = createEngine((table) => {
      if (table !== "ledger" || seen.length === 3) return;
      seen.push(cursor);
      if (seen.length < 3) cursor = startOf(seen.length + 1);
    });
    const manifest = await backUp(control.store, engine);
    assert.deepEqual([seen.length, manifest.cursor], [3, startOf(3)]);
  });
});
