import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { runCheckpoint } from "../../../src/engines/duckdb/checkpoint.ts";
import { type Database, openDatabase } from "../../../src/engines/duckdb/database.ts";
import { DEFAULT_LIMITS } from "../../../src/engines/duckdb/limits.ts";

const BLOCK_BYTES = 65_536;
const HALF_BYTES = BLOCK_BYTES / 2;
const HEADERS_BYTES = 3 * 4_096;
const ROWS = 30_000;
const RESTORED = "some metadata was only half written: it was restored from its copy";

interface Files {
  readonly file: Buffer;
  readonly wal?: Buffer;
  readonly copy?: Buffer;
}

describe("a checkpoint that a loss of power interrupts", () => {
  let dir: string;
  /** The checkpoint before, with the log of what was written since then, and the copy that it was given. */
  let earlier: Required<Files>;
  let finished: Required<Files>;
  /** The first byte of a block of metadata that the checkpoint has written in place. */
  let overwritten: number;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), "metadata-copy-"));
    const path = join(dir, "warehouse.duckdb");
    const database = await openDatabase(path, DEFAULT_LIMITS);
    await database.write((connection) => connection.run(`CREATE TABLE things (n BIGINT, text VARCHAR)`));
    for (let i = 0; i < 3; i += 1) {
      await insert(database, i);
      await checkpoint(database);
    }
    const blocks = await metadataOf(database);
    await insert(database, 3);
    const file = readFileSync(path);
    const wal = readFileSync(`${path}.wal`);
    await checkpoint(database);
    earlier = { file, wal, copy: readFileSync(`${path}.metadata`) };
    finished = { ...earlier, file: readFileSync(path) };
    const starts = blocks.map((id) => HEADERS_BYTES + id * BLOCK_BYTES);
    const isNew = (at: number) => !halfAt(file, at).equals(halfAt(finished.file, at));
    overwritten = starts.find((at) => isNew(at) && isNew(at + HALF_BYTES)) ?? -1;
    await database.close();
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  const insert = (database: Database, nth: number) =>
    database.write((connection) =>
      connection.run(`INSERT INTO things SELECT range, 'text ' || (range * ${nth + 7}) FROM range(${ROWS})`),
    );

  const checkpoint = (database: Database) =>
    database.checkpoint((connection) => runCheckpoint(connection, database.metadata));

  async function metadataOf(database: Database): Promise<number[]> {
    const found = await database.select<{ id: number }>(
      "SELECT block_id AS id FROM pragma_metadata_info('warehouse') ORDER BY id",
    );
    return found.rows.map(({ id }) => id);
  }

  const halfAt = (file: Buffer, at: number) => file.subarray(at, at + HALF_BYTES);

  /** The file with the block half as before and half as the checkpoint wrote it. */
  function tear({ file }: Files): Buffer {
    assert.ok(overwritten > 0, "a checkpoint of DuckDB writes metadata in place");
    const torn = Buffer.from(file);
    earlier.file.copy(torn, overwritten, overwritten, overwritten + HALF_BYTES);
    finished.file.copy(torn, overwritten + HALF_BYTES, overwritten + HALF_BYTES, overwritten + BLOCK_BYTES);
    return torn;
  }

  /** Opens files of these contents as the next process would. */
  async function open(name: string, { file, wal, copy }: Files) {
    const path = join(dir, name, "warehouse.duckdb");
    mkdirSync(join(dir, name));
    writeFileSync(path, file);
    if (wal) writeFileSync(`${path}.wal`, wal);
    if (copy) writeFileSync(`${path}.metadata`, copy);
    const mended: string[] = [];
    try {
      const database = await openDatabase(path, DEFAULT_LIMITS, { onMended: (what) => mended.push(what) });
      try {
        const { rows } = await database.select<{ n: number }>("SELECT count(DISTINCT text) AS n FROM things");
        await insert(database, 4);
        await checkpoint(database);
        return { texts: rows[0]?.n, mended };
      } finally {
        await database.close();
      }
    } catch (cause) {
      assert.match(String(cause), /Corrupt database file/);
      assert.deepEqual(readFileSync(path), file, "a file that cannot be restored is left as it is");
      return "refused";
    }
  }

  test("loses nothing: half written metadata is restored from the copy, and the log is read", async () => {
    const whole = await open("whole", { file: earlier.file, wal: earlier.wal });
    assert.ok(typeof whole === "object" && whole.mended.length === 0);
    const torn = await open("torn", { ...earlier, file: tear(earlier) });
    assert.deepEqual(torn, { ...whole, mended: [RESTORED] });
  });

  test("is nothing to restore where the blocks are whole", async () => {
    const file = Buffer.from(earlier.file);
    finished.file.copy(file, overwritten, overwritten, overwritten + BLOCK_BYTES);
    assert.deepEqual(await open("written", { ...earlier, file }), await open("unwritten", earlier));
  });

  test("is refused without a copy", async () => {
    assert.equal(await open("none", { file: tear(earlier), wal: earlier.wal }), "refused");
  });

  for (const [what, change] of [
    ["was damaged", (copy: Buffer) => copy.fill(1, 100, 200)],
    ["ends early", (copy: Buffer) => copy.subarray(0, -1)],
    ["is empty", (copy: Buffer) => copy.subarray(0, 0)],
  ] as const)
    test(`is refused with a copy that ${what}`, async () => {
      const copy = change(Buffer.from(earlier.copy));
      assert.equal(await open(what, { ...earlier, file: tear(earlier), copy }), "refused");
    });

  test("is refused with the copy of another checkpoint: it would lead to other rows", async () => {
    assert.equal(await open("other", { file: tear(finished), copy: finished.copy }), "refused");
  });

  test("another process cannot open the file while a copy of its metadata was made", async () => {
    const path = join(dir, "locked", "warehouse.duckdb");
    mkdirSync(join(dir, "locked"));
    const database = await openDatabase(path, DEFAULT_LIMITS);
    try {
      await checkpoint(database);
      assert.match(openElsewhere(path), /Conflicting lock/);
    } finally {
      await database.close();
    }
    assert.equal(openElsewhere(path), "");
  });
});

describe("metadata that DuckDB reads only with the column that it is of", () => {
  let dir: string;
  let file: Buffer;
  let copy: Buffer;
  /** Of the blocks of metadata. */
  let starts: number[];

  const COLUMNS = Array.from({ length: 100 }, (_, nth) => `c${nth}`);
  const READ_ALL = `SELECT ${COLUMNS.map((name) => `sum(${name})`).join(" + ")} AS n FROM things`;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), "metadata-of-columns-"));
    const path = join(dir, "warehouse.duckdb");
    const database = await openDatabase(path, DEFAULT_LIMITS);
    const columns = COLUMNS.map((name) => `${name} BIGINT`);
    await database.write((connection) => connection.run(`CREATE TABLE things (${columns.join(", ")})`));
    const values = COLUMNS.map((_, nth) => `range * ${nth}`);
    for (let i = 0; i < 10; i += 1) {
      await database.write((connection) =>
        connection.run(`INSERT INTO things SELECT ${values.join(", ")} FROM range(99)`),
      );
      await database.checkpoint((connection) => runCheckpoint(connection, database.metadata));
    }
    const found = await database.select<{ id: number }>("SELECT block_id AS id FROM pragma_metadata_info('warehouse')");
    starts = found.rows.map(({ id }) => HEADERS_BYTES + id * BLOCK_BYTES);
    // As before the checkpoint that the loss of power interrupts.
    await database.checkpoint((connection) => database.metadata.refresh(connection));
    await database.close();
    file = readFileSync(path);
    copy = readFileSync(`${path}.metadata`);
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  /** What a start and a read of all columns come to where the block is damaged, and again after the next checkpoint. */
  async function open(start: number, withCopy: boolean): Promise<string> {
    const path = join(dir, `${start} ${withCopy}`, "warehouse.duckdb");
    mkdirSync(join(path, ".."));
    const damaged = Buffer.from(file);
    damaged.fill(1, start + HALF_BYTES, start + HALF_BYTES + 512);
    writeFileSync(path, damaged);
    if (withCopy) writeFileSync(`${path}.metadata`, copy);
    const seen: string[] = [];
    for (let i = 0; i < 2; i += 1) {
      try {
        const database = await openDatabase(path, DEFAULT_LIMITS, { onMended: (what) => seen.push(what) });
        try {
          await database.select(READ_ALL);
          seen.push("read");
          await database.checkpoint((connection) => runCheckpoint(connection, database.metadata));
        } catch (cause) {
          assert.match(String(cause), /Corrupt database file/);
          seen.push("no read");
        } finally {
          await database.close();
        }
      } catch {
        seen.push("no start");
      }
    }
    return seen.join(", ");
  }

  test("is restored at the start, which does not see that it is damaged", async () => {
    const without = await Promise.all(starts.map((start) => open(start, false)));
    assert.ok(without.includes("no read, no read"), String(without));
    for (const start of starts) assert.equal(await open(start, true), `${RESTORED}, read, read`);
  });
});

function openElsewhere(path: string): string {
  const text = `import { DuckDBInstance } from "@duckdb/node-api";
    await DuckDBInstance.create(${JSON.stringify(path)}).catch((cause) => process.stdout.write(String(cause)));`;
  const done = spawnSync(process.execPath, ["--input-type=module", "-e", text], { cwd: import.meta.dirname });
  return String(done.stdout);
}
