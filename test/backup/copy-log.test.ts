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
import { takeBackup } from "../../src/backup/take-backup.ts";
import { createWorkspace } from "../../src/control/tenants.ts";
import { openCursor } from "../../src/engines/clickhouse/cursor.ts";
import { nodeFiles } from "../../src/lib/files.ts";
import { type Log, openLog } from "../../src/ingest/log.ts";
import { LOG_START, type Position } from "../../src/ingest/log-position.ts";
import { segmentPath } from "../../src/ingest/segment-file.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createControl, quietLog } from "../support/control.ts";

const EVENTS = ["e1", "e2", "e3", "e4", "e5"];
const quiet = () => undefined;

/** Of the restored log: what its reader gets from where it stood, and then `more`, which is appended first. */
async function readOn(places: LogPlaces, more: readonly string[] = []): Promise<string[]> {
  const cursor = await openCursor(nodeFiles, places.cursor);
  const { done } = cursor.get();
  await cursor.close();
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
function open(dir: string, consumed: Position): Promise<Log> {
  return openLog({ dir, files: nodeFiles, clock: systemClock, logger: quietLog, consumed, segmentBytes: 70 });
}

describe("the event log in a backup", () => {
  let root: string;
  let source: LogPlaces;
  let target: LogPlaces;
  /** Where each event begins, and the log's end. */
  let starts: Position[];

  const placesIn = (name: string): LogPlaces => {
    const dir = join(root, name);
    mkdirSync(dir);
    return { log: join(dir, "log"), cursor: join(dir, "cursor"), nodeId: join(dir, "node-id") };
  };
  const segmentOf = (event: number) => segmentPath(source.log, starts[event]?.segment ?? 0);

  /** A cursor at that event, to be put in the place of the log's own at any moment. */
  async function cursorAt(event: number): Promise<string> {
    const path = join(root, `cursor-${event}`);
    const cursor = await openCursor(nodeFiles, path);
    await cursor.store({ done: starts[event] ?? LOG_START });
    await cursor.close();
    return path;
  }

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "copy-log-"));
    [source, target] = [placesIn("source"), placesIn("target")];
    writeFileSync(source.nodeId, "n1\n");
    const log = await open(source.log, LOG_START);
    starts = [];
    for (const text of EVENTS) starts.push(await log.append(Buffer.from(text)));
    starts.push(log.end());
    await log.close();
    copyFileSync(await cursorAt(1), source.cursor);
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

  test("what its reader had not passed is read on from there, and what is appended then comes behind it", async () => {
    await copyAndRestore();
    assert.deepEqual(await readOn(target, ["new"]), ["e2", "e3", "e4", "e5", "new"]);
  });

  test("segments that are released while it is copied lack nothing that the reader has not passed", async () => {
    const further = await cursorAt(3);
    await copyAndRestore((done) => {
      if (done !== 1) return;
      copyFileSync(further, source.cursor);
      for (const event of [0, 1, 2]) rmSync(segmentOf(event));
    });
    assert.deepEqual(await readOn(target), ["e4", "e5"]);
  });

  test("a reader that is beyond the end of the copy loses no event that is appended after the restore", async () => {
    const whole = join(root, "whole");
    copyFileSync(segmentOf(4), whole);
    truncateSync(segmentOf(4), 70);
    const end = await cursorAt(5);
    await copyAndRestore((done, total) => {
      if (done !== total) return;
      copyFileSync(whole, segmentOf(4));
      copyFileSync(end, source.cursor);
    });
    assert.deepEqual(await readOn(target, ["new"]), ["new"]);
  });

  test("a reader in a segment that was begun after the copy loses no event that is appended after the restore", async () => {
    const whole = join(root, "whole");
    cpSync(source.log, whole, { recursive: true });
    const [late, end] = [segmentOf(4), await cursorAt(5)];
    rmSync(late);
    await copyAndRestore((done, total) => {
      if (done !== total) return;
      cpSync(whole, source.log, { recursive: true });
      copyFileSync(end, source.cursor);
    });
    assert.deepEqual(await readOn(target, ["new"]), ["new"]);
  });

  test("is copied before the warehouse is read, and the control store after it: what moves on meanwhile is in one of them", async (t) => {
    const control = await createControl("sqlite");
    t.after(control.drop);
    const end = await cursorAt(5);
    // The warehouse as it is before the writer stores the rest of the log, all of which happens while it is read.
    const engine = {
      async *select() {
        await control.store.write((tx) => createWorkspace(tx, "Made meanwhile", 1));
        copyFileSync(end, source.cursor);
        for (const event of [0, 1, 2, 3]) rmSync(segmentOf(event), { force: true });
        yield [];
      },
      selectRaw: () => Promise.reject(new Error("nothing to read")),
      selectJson: async <T>(sql: string) => ({
        ...{ meta: [], rows: 1, statistics: { elapsed: 0, rows_read: 0, bytes_read: 0 } },
        data: (sql.startsWith("SELECT name FROM") ? [{ name: "events" }] : []) as T[],
      }),
    };
    const dir = join(root, "backup");
    const where = { database: "x", cluster: undefined };
    const manifest = await takeBackup(
      { places: source, store: control.store, engine, where, secret: "setting" },
      { dir, version: "0", nowMs: 0, onProgress: quiet },
    );
    const files = manifest.files.filter(({ part }) => part === "log");
    await restoreLog(dir, files, target);
    assert.deepEqual(await readOn(target), ["e2", "e3", "e4", "e5"]);
    assert.equal(manifest.control.rows.workspaces, 1);
  });
});
