import assert from "node:assert/strict";
import fs, { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, mock, test } from "node:test";
import { restoreLog } from "../../src/backup/copy-log.ts";
import {
  dataPaths,
  prepareDataDir,
  readOrCreateId,
  readOrCreateSecret,
  writePrivateFile,
} from "../../src/installation/data-dir.ts";
import { nodeFiles } from "../../src/lib/files.ts";

/**
 * A flushed file whose directory entry was not flushed may be gone after a power cut. The real calls are recorded here,
 * with the names that the directory held at that moment.
 */
describe("the directory entries of small files are durable before they are used", () => {
  const root = mkdtempSync(join(tmpdir(), "names-"));
  const paths = dataPaths(join(root, "data"));
  /** Directory by inode, and what lay in it when it was synced. */
  let synced: { inode: number; names: string[] }[] = [];
  const { fsyncSync } = fs;

  before(() => {
    mock.method(fs, "fsyncSync", (descriptor: number) => {
      const { ino } = fs.fstatSync(descriptor);
      const dir = [root, paths.root].find((path) => existsSync(path) && statSync(path).ino === ino);
      if (dir !== undefined) synced.push({ inode: ino, names: fs.readdirSync(dir) });
      fsyncSync(descriptor);
    });
    syncBuiltinESMExports();
  });
  after(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
    rmSync(root, { recursive: true, force: true });
  });
  beforeEach(() => {
    synced = [];
  });

  const isDurable = (dir: string, name: string) =>
    synced.some(({ inode, names }) => inode === statSync(dir).ino && names.includes(name));

  test("the data directory itself", () => {
    prepareDataDir(paths);
    assert.ok(isDurable(root, "data"));
  });

  test("the secret and the id of the node, when they are made; read again they cost nothing", () => {
    readOrCreateSecret(paths);
    assert.ok(isDurable(paths.root, "secret"));
    readOrCreateId(paths);
    assert.ok(isDurable(paths.root, "node-id"));
    synced = [];
    readOrCreateSecret(paths);
    readOrCreateId(paths);
    assert.deepEqual(synced, []);
  });

  test("the first keys", () => {
    writePrivateFile(paths.credentials, "{}\n");
    assert.ok(isDurable(paths.root, "credentials.json"));
  });

  test("a restored log", async (t) => {
    const dirs: string[] = [];
    t.mock.method(nodeFiles, "fsyncDir", async (dir: string) => void dirs.push(dir));
    await restoreLog(root, [], paths);
    assert.deepEqual(dirs, [paths.log, paths.root]);
  });
});
