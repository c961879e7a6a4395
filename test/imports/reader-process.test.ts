/** A file that somebody has sent is read in a process of its own: whatever becomes of that one, this one goes on. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { DuckDBInstance } from "@duckdb/node-api";
import { lookAtDays } from "../../src/imports/days/days-file.ts";
import { NO_MAPPING } from "../../src/imports/from/generic.ts";
import { ImportError } from "../../src/imports/import-error.ts";
import { previewFile } from "../../src/imports/preview.ts";
import { readFromProcess } from "../../src/imports/read/from-process.ts";
import { readFileRows } from "../../src/imports/read/read-file.ts";
import { readingEvents } from "../../src/imports/reading.ts";
import { createPreviews } from "../../src/routes/imports/preview-upload.ts";
import { makeZip } from "./archives.ts";

const ENDS = new URL("./readers/ends.ts", import.meta.url);
const MB = 1024 * 1024;

describe("a process that reads a file", () => {
  async function readEnds(how: string, options: { stillMs?: number; firstMs?: number } = {}) {
    let text = "";
    const end = await (async () => {
      for await (const chunk of readFromProcess(ENDS, [how], { stillMs: 60_000, ...options })) text += String(chunk);
    })().catch((cause: unknown) => cause);
    assert.equal(text, '{"n":1}\n{"n":2}\n', `${how}: ${String(end)}`);
    return end;
  }

  test("gives all its rows", async () => {
    assert.equal(await readEnds("well"), undefined);
  });

  test("is ended where nobody reads on, though it has written more", async () => {
    for await (const chunk of readFromProcess(ENDS, ["writes"], { stillMs: 60_000 })) {
      assert.ok(chunk.length > 0);
      break;
    }
  });

  for (const [how, expected] of [
    ["refuses", /^line 3 is wrong$/],
    ["fails", /^a library says so$/],
    ["crashes", /^its reader ended early \(SIGABRT\): it is damaged$/],
    ["swells", /^reading it takes more than 1024 MB of memory$/],
  ] as const)
    test(`says why it has no more: ${how}`, async () => {
      const end = await readEnds(how);
      assert.ok(end instanceof ImportError);
      assert.match(end.message, expected);
    });

  test("is ended when no row comes in time, and when nobody waits any more", async () => {
    const late = await readEnds("hangs", { firstMs: 60_000, stillMs: 500 });
    assert.match(String(late), /its next rows take longer than 1 s to read/);
    const gone = new Error("the client has gone");
    const stop = new AbortController();
    const rows = readFromProcess(ENDS, ["hangs"], { stillMs: 60_000, signal: stop.signal });
    assert.ok((await rows.next()).value);
    const next = rows.next();
    stop.abort(gone);
    await assert.rejects(next, gone);
  });
});

describe("a Parquet file that would harm its reader", () => {
  let dir: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), "parquet-"));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  async function write(name: string, select: string, options = ""): Promise<string> {
    const path = join(dir, name);
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet, COMPRESSION zstd${options})`);
    connection.closeSync();
    instance.closeSync();
    return path;
  }
  async function readAll(path: string): Promise<number> {
    let rows = 0;
    for await (const part of readFileRows(path, 0)) rows += part.rows.length;
    return rows;
  }

  test("is refused where a few kilobytes become gigabytes, and this process keeps its memory", async () => {
    const path = await write(
      "bomb.parquet",
      "SELECT repeat('a', 25_000_000) AS t FROM range(30)",
      ", STRING_DICTIONARY_PAGE_SIZE_LIMIT 100000000",
    );
    assert.ok(statSync(path).size < MB, `${statSync(path).size} bytes`);
    const before = process.memoryUsage.rss();
    await assert.rejects(readAll(path), /bomb\.parquet cannot be read as Parquet/);
    const grown = (process.memoryUsage.rss() - before) / MB;
    assert.ok(grown < 256, `${Math.round(grown)} MB more`);
  });

  test("is refused where its bytes are not what they say, wherever that is", async () => {
    const good = readFileSync(await write("good.parquet", "SELECT i AS n, 'v' || i AS t FROM range(20000) r(i)"));
    assert.equal(await readAll(join(dir, "good.parquet")), 20_000);
    const footAt = good.length - 8 - good.readUInt32LE(good.length - 8);
    const spoilt: Record<string, Buffer> = {
      "cut.parquet": good.subarray(0, good.length / 2),
      "foot.parquet": Buffer.concat([good.subarray(0, -60), Buffer.alloc(52, 0xff), good.subarray(-8)]),
      "pages.parquet": Buffer.concat([good.subarray(0, 4), Buffer.alloc(footAt - 4, 0xff), good.subarray(footAt)]),
    };
    for (const [name, bytes] of Object.entries(spoilt)) {
      writeFileSync(join(dir, name), bytes);
      await assert.rejects(readAll(join(dir, name)), (cause: Error) => {
        assert.ok(cause instanceof ImportError, name);
        assert.match(cause.message, new RegExp(`^${name} cannot be read as Parquet: .+`));
        assert.ok(!cause.message.includes(dir) && !cause.message.includes("\n"), cause.message);
        return true;
      });
    }
  });

  test("is refused where a later row group is damaged, and never ends early without a word", async () => {
    const select = "SELECT i AS n, md5(i::VARCHAR) AS t FROM range(409600) r(i)";
    const good = readFileSync(await write("groups.parquet", select, ", ROW_GROUP_SIZE 2048"));
    const footAt = good.length - 8 - good.readUInt32LE(good.length - 8);
    const path = join(dir, "later.parquet");
    writeFileSync(path, Buffer.from(good).fill(0xff, Math.floor(footAt * 0.6), Math.floor(footAt * 0.8)));
    let rows = 0;
    const reading = async () => {
      for await (const part of readFileRows(path, 0)) rows += part.rows.length;
    };
    await assert.rejects(reading(), /later\.parquet cannot be read as Parquet: row \d+ of 409600 cannot be read/);
    assert.ok(rows > 0 && rows < 409_600, `${rows} rows before it are kept`);
  });

  test("says how much of it was read", async () => {
    const path = await write("progress.parquet", "SELECT i AS n FROM range(10000) r(i)");
    const bytes: number[] = [];
    for await (const part of readFileRows(path, 0)) bytes.push(part.bytes);
    const { size } = statSync(path);
    assert.ok((bytes[0] ?? size) < size, `${bytes.join(", ")} of ${size}`);
    assert.equal(bytes.at(-1), size);
    assert.deepEqual(
      bytes,
      bytes.toSorted((one, other) => one - other),
    );
  });

  test("reads no other file: neither its name nor what it says opens one", async () => {
    const name = "it's.parquet";
    const path = join(dir, name);
    writeFileSync(path, readFileSync(await write("plain.parquet", "SELECT 1 AS n")));
    assert.equal(await readAll(path), 1);
  });

  test("its preview ends in time with what was seen by then", async () => {
    const path = await write("long.parquet", "SELECT i AS n FROM range(3000000) r(i)");
    const signal = AbortSignal.timeout(1);
    const options = { reading: readingEvents("generic", { columns: new Map(), values: new Map() }), nowMs: 0, signal };
    const preview = await previewFile(path, { ...options, rows: 10_000_000, shown: 1 });
    assert.equal(preview.isWhole, false);
    assert.ok(preview.rows < 3_000_000);
  });
});

describe("a preview of an export of days", () => {
  const PLAUSIBLE = join(import.meta.dirname, "fixtures", "plausible");
  let dir: string;
  let path: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), "look-"));
    path = join(dir, "export.zip");
    const readOne = (name: string) => [name, readFileSync(join(PLAUSIBLE, name))] as const;
    writeFileSync(path, makeZip(Object.fromEntries(readdirSync(PLAUSIBLE).map(readOne))));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));
  const look = (mostMs: number, firstMs: number) =>
    lookAtDays(path, { signal: new AbortController().signal, limits: { mostMs, firstMs } });

  test("waits for its first days, however long the process takes to start", async () => {
    const { days } = await look(1, 60_000);
    assert.deepEqual(days, ["2024-01-01", "2024-01-02", "2024-01-03"]);
  });

  test("says that nothing came in time, and not that the file is wrong", async () => {
    await assert.rejects(look(1, 2), { name: "NotInTime" });
  });
});

describe("a preview of a file that was sent", () => {
  let dir: string;
  let file: { path: string; fileName: string };
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), "sent-"));
    const fileName = "events.parquet";
    file = { path: join(dir, fileName), fileName };
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    await connection.run(`COPY (SELECT 1 AS event_id, 'a' AS visitor_id) TO '${file.path}' (FORMAT parquet)`);
    connection.closeSync();
    instance.closeSync();
  });
  after(() => rmSync(dir, { recursive: true, force: true }));
  const asking = (signal = new AbortController().signal) => ({ workspaceId: "w", nowMs: 0, signal });
  const looking = { ...asking(), findFirstDay: async () => undefined };
  const reading = { source: undefined, mapping: NO_MAPPING };

  test("waits for its first row, however long the process takes to start", async () => {
    const previews = createPreviews({ mostMs: 1, firstMs: 60_000 });
    assert.equal((await previews.look(file, reading, looking)).rows, 1);
    assert.equal(await previews.findSource(file, asking()), "generic");
  });

  test("that brings nothing in time is 503, and no start takes the file for something else", async () => {
    const previews = createPreviews({ mostMs: 1, firstMs: 2 });
    const late = { name: "ApiError", code: "SERVICE_UNAVAILABLE", message: /could not be read in time/ };
    await assert.rejects(previews.look(file, reading, looking), late);
    await assert.rejects(previews.findSource(file, asking()), late);
  });

  test("of a client that has left says nothing about the file", async () => {
    const left = AbortSignal.timeout(20);
    await assert.rejects(createPreviews().findSource(file, asking(left)), { name: "TimeoutError" });
  });
});
