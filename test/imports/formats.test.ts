/** Every format and compression gives the same rows, and a wrong file says what is wrong with it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { NO_MAPPING } from "../../src/imports/from/generic.ts";
import { readFileRows } from "../../src/imports/read/read-file.ts";
import { LONGEST_ROW_BYTES } from "../../src/imports/read/read-row.ts";
import { readingOf } from "../../src/imports/upload-sources.ts";
import { IS_LONG, SEED } from "../../src/lib/testing.ts";
import { makeZip } from "./archives.ts";

const ROWS = Array.from({ length: 5_000 }, (_, n) => ({
  id: String(n),
  name: n % 7 === 0 ? `a "quoted", ünïcode\nname ${n}` : `name ${n}`,
  empty: "",
}));

const lines = ROWS.map((row) => JSON.stringify(row)).join("\n");
const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
const TEXTS = {
  "rows.ndjson": lines,
  "blank-lines.jsonl": `\uFEFF\n${lines.replaceAll("\n", "\r\n\r\n")}\n\n`,
  "array.json": JSON.stringify(ROWS),
  "two-arrays.json": `${JSON.stringify(ROWS.slice(0, 3_000))}\n${JSON.stringify(ROWS.slice(3_000))}\n`,
  "pretty.json": `\n ${JSON.stringify(ROWS, null, 2)}\n`,
  "comma.csv": ["id,name,empty", ...ROWS.map((row) => `${row.id},${quote(row.name)},`)].join("\n"),
  "semicolon.csv": ["\uFEFFid;name;empty", ...ROWS.map((row) => `${row.id};${quote(row.name)};`)].join("\r\n"),
  "tab.tsv": ["id\tname\tempty", ...ROWS.map((row) => `${row.id}\t${quote(row.name)}\t`)].join("\n"),
} as const;

const PACKERS = {
  plain: { pack: (bytes: Buffer) => bytes, ending: "" },
  gzip: { pack: (bytes: Buffer) => gzipSync(bytes), ending: ".gz" },
  "gzip in two members": {
    pack: (bytes: Buffer) => Buffer.concat([gzipSync(bytes.subarray(0, 100)), gzipSync(bytes.subarray(100))]),
    ending: ".gz",
  },
  zstd: { pack: (bytes: Buffer) => zstdCompressSync(bytes), ending: ".zst" },
  "zstd in two frames": {
    pack: (bytes: Buffer) =>
      Buffer.concat([zstdCompressSync(bytes.subarray(0, 100)), zstdCompressSync(bytes.subarray(100))]),
    ending: ".zst",
  },
  brotli: { pack: (bytes: Buffer) => brotliCompressSync(bytes), ending: ".br" },
} as const;

describe("files of history", () => {
  const dir = mkdtempSync(join(tmpdir(), "formats-"));
  after(() => rmSync(dir, { recursive: true, force: true }));

  function write(name: string, bytes: string | Buffer): string {
    const path = join(dir, name);
    writeFileSync(path, bytes);
    return path;
  }

  async function read(path: string, skip = 0) {
    const found = [];
    for await (const { rows, unit, entry } of readFileRows(path, skip))
      for (const row of rows) found.push({ ...row, unit, entry });
    return found;
  }

  // In a short run each format with two packers, other ones of each.
  for (const [nth, [name, text]] of Object.entries(TEXTS).entries())
    for (const [at, [packer, { pack, ending }]] of Object.entries(PACKERS).entries()) {
      if (!IS_LONG && (at + nth * 2 + SEED) % Object.keys(PACKERS).length > 1) continue;
      test(`${name}, ${packer}: every row, in order`, async () => {
        const found = await read(write(name + ending, pack(Buffer.from(text))));
        assert.deepEqual(
          found.map(({ value }) => value),
          ROWS,
        );
      });
    }

  for (const codec of ["uncompressed", "snappy", "gzip", "zstd", "lz4", "brotli"])
    test(`Parquet, ${codec}: every row, in order, with nested columns`, async () => {
      const path = join(dir, `${codec}.parquet`);
      const instance = await DuckDBInstance.create(":memory:");
      const connection = await instance.connect();
      await connection.run(`COPY (SELECT i::VARCHAR AS id, [{'key': 'k', 'value': {'int_value': i}}] AS params,
        TIMESTAMP '2024-01-01 00:00:00' + to_seconds(i) AS at FROM range(5000) t(i))
        TO '${path}' (FORMAT parquet, COMPRESSION ${codec}, ROW_GROUP_SIZE 2048)`);
      connection.closeSync();
      instance.closeSync();
      const found = await read(path);
      assert.deepEqual(
        found.map(({ at }) => at),
        ROWS.map((_, n) => n + 1),
      );
      assert.deepEqual(found[3_661]?.value, {
        id: "3661",
        params: [{ key: "k", value: { int_value: 3661 } }],
        at: "2024-01-01 01:01:01",
      });
      const rest = await read(path, 4_999);
      assert.equal(rest.length, 5_000);
      assert.equal(rest[4_998]?.value, undefined);
      assert.equal(rest[4_999]?.value?.id, "4999");
    });

  test("zip: its files in order, each packed again, each with lines of its own", async () => {
    const [half, rest] = [ROWS.slice(0, 2_000), ROWS.slice(2_000)].map((rows) =>
      Buffer.from(rows.map((row) => JSON.stringify(row)).join("\n")),
    );
    assert.ok(half && rest);
    const zip = makeZip({
      "77/": Buffer.alloc(0),
      "77/a.json.gz": gzipSync(half),
      "__MACOSX/._a": Buffer.from("x"),
      "77/b.json": rest,
    });
    const found = await read(write("export.zip", zip));
    assert.deepEqual(
      found.map(({ value }) => value),
      ROWS,
    );
    assert.deepEqual([found[2_000]?.entry, found[2_000]?.at], ["77/b.json", 1]);
    const skipped = await read(join(dir, "export.zip"), 2_500);
    assert.deepEqual(
      skipped.slice(2_500).map(({ value }) => value),
      ROWS.slice(2_500),
    );
  });

  test("zip: says how much of it was read, within one large file, too", async () => {
    const text = ROWS.map((row, n) => JSON.stringify({ ...row, more: String(Math.sin(n)).repeat(20) })).join("\n");
    const path = write("large.zip", makeZip({ "a.json": Buffer.from(text) }));
    const bytes: number[] = [];
    for await (const part of readFileRows(path, 0)) bytes.push(part.bytes);
    const whole = bytes.at(-1) ?? 0;
    assert.ok((bytes[0] ?? whole) < whole && whole <= statSync(path).size, bytes.join(", "));
  });

  test("skipped rows count and are not parsed", async () => {
    for (const name of ["rows.ndjson", "array.json"] as const) {
      const found = await read(write(`skip-${name}`, TEXTS[name]), 4_000);
      assert.deepEqual(
        found.slice(4_000).map(({ value }) => value),
        ROWS.slice(4_000),
      );
      assert.equal(found.length, 5_000);
      assert.equal(found[3_999]?.value, undefined);
    }
  });

  test("bad rows name their lines, and the rows around them stay", async () => {
    const bad = Buffer.concat([
      Buffer.from('{"id":"1"}\n{"id":\n[1]\n\n{"id":"'),
      Buffer.from([0xff]),
      Buffer.from('"}\n{"id":"2"}\n{"id":"'),
      Buffer.alloc(LONGEST_ROW_BYTES + 1024 ** 2, "x"),
      Buffer.from('"}\n{"id":"3"}'),
    ]);
    const found = await read(write("bad.ndjson", bad));
    assert.deepEqual(
      found.map(({ at, value, problem }) => [at, String((value?.id as string) ?? problem).slice(0, 100)]),
      [
        [1, "1"],
        [2, "it is not valid JSON"],
        [3, "it is not a JSON object"],
        [5, "it is not valid UTF-8"],
        [6, "2"],
        [7, "it is longer than 16 MiB"],
        [8, "3"],
      ],
    );
  });

  test("an array that was cut has its rows and says so at the end", async () => {
    const found = await read(write("cut.json", '[{"id":"1"},\n{"id":"2"},{"id":'));
    assert.deepEqual(
      found.map(({ at, value, problem }) => [at, value?.id ?? problem]),
      [
        [1, "1"],
        [2, "2"],
        [3, "the file ends within the JSON array"],
      ],
    );
  });

  test("rows of CSV with too few or too many columns name the line at which they begin", async () => {
    const found = await read(write("bad.csv", 'id,name\n1,"two\nlines"\n2\n3,a,b\n4,ok\n'));
    assert.deepEqual(
      found.map(({ at, value, problem }) => [at, value?.id ?? problem]),
      [
        [2, "1"],
        [4, "it has 1 columns, and the header has 2"],
        [5, "it has 3 columns, and the header has 2"],
        [6, "4"],
      ],
    );
  });

  test("text behind an array is an error, and nothing of it is passed over", async () => {
    const path = write("behind.json", '[{"id":"1"}]\n[{"id":"2"}]\n{"id":"3"}');
    await assert.rejects(read(path), /behind\.json: text that is no list follows row 2/);
  });

  test("rows of CSV that are not UTF-8 are refused, and the rows around them stay", async () => {
    const filler = Array.from({ length: 40_000 }, (_, n) => `${n},ünïcode \uFFFD ${n}`);
    const head = Buffer.from(["id,name", ...filler, ""].join("\n"));
    const found = await read(write("latin.csv", Buffer.concat([head, Buffer.from("x,M\u00fcnchen\n", "latin1")])));
    assert.equal(found.length, filler.length + 1);
    assert.ok(found.slice(0, 20_000).every(({ value }) => value !== undefined));
    const { at, problem } = found.at(-1) ?? {};
    assert.deepEqual([at, problem], [filler.length + 2, "it is not valid UTF-8"]);
  });

  test("a CSV header with a name twice is an error", async () => {
    const path = write("twice.csv", "id,name,id\n1,a,2\n");
    await assert.rejects(read(path), /twice\.csv, line 1: two columns have the name id/);
  });

  test("a CSV header of a hundred thousand columns is an error, and no name is compared with all others", async () => {
    const names = Array.from({ length: 100_000 }, (_, n) => n.toString(36)).join(",");
    const before = process.cpuUsage();
    await assert.rejects(read(write("wide.csv", `${names}\n1\n`)), /wide\.csv, line 1: it has 100000 columns/);
    const { user, system } = process.cpuUsage(before);
    // It is one second; comparing took 33 s for each piece of 256 KiB.
    assert.ok(user + system < 25e6, `${(user + system) / 1e6} s`);
  });

  test("a row that is nested too deep to be written again is refused with its line, and the rows around it stay", async () => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const found = await read(write("deep.ndjson", `{"id":"1"}\n{"id":${deep}}\n{"id":"3"}\n`));
    assert.deepEqual(
      found.map(({ at, value, problem }) => [at, value?.id ?? problem]),
      [
        [1, "1"],
        [2, "it is nested deeper than 100 levels"],
        [3, "3"],
      ],
    );
    const row = { timestamp: "2024-01-01T00:00:00Z", event: "Order", user_id: "a", properties: `{"a":${deep}}` };
    const { refused } = readingOf("generic", NO_MAPPING).makeMapper(Date.now()).map({ at: 1, value: row }, 1);
    assert.match(refused ?? "", /^properties is "\{"a":\[.*a JSON object was expected$/);
  });

  test("a file that was cut, a picture and a broken zip each get an error with the name of the file", async () => {
    const packed = gzipSync(Buffer.from(lines));
    const zipped = makeZip({ "a.json": Buffer.from(lines) });
    for (const [name, bytes, expected] of [
      [
        "cut.gz",
        packed.subarray(0, packed.length - 20),
        /^cut\.gz cannot be unpacked: .*damaged, or its download was cut$/,
      ],
      ["cut.zst", zstdCompressSync(Buffer.from(lines)).subarray(0, 500), /^cut\.zst cannot be unpacked/],
      ["picture.png", Buffer.from("89504e470d0a1a0a0000000d", "hex"), /^picture\.png is no text/],
      ["cut.zip", zipped.subarray(0, zipped.length - 30), /^cut\.zip cannot be read as a zip/],
      ["cut.parquet", Buffer.from("PAR1 and then nothing"), /^cut\.parquet cannot be read as Parquet/],
    ] as const)
      await assert.rejects(read(write(name, bytes)), { name: "ImportError", message: expected }, name);
  });
});
