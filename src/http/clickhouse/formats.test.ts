import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AnswerRow, FormatOptions } from "./formats/format.ts";
import { FORMAT_NAMES, findFormat } from "./formats/index.ts";
import { toLz4Block } from "./lz4-blocks.ts";
import { toAnswerColumn } from "./types.ts";

const COLUMNS = [
  { name: "day", type: "Date" },
  { name: "at", type: "DateTime64(3)" },
  { name: 'a "b"', type: "LowCardinality(String)" },
  { name: "n", type: "UInt64" },
  { name: "f", type: "Nullable(Float64)" },
  { name: "tags", type: "Array(String)" },
];
const ROWS: AnswerRow[] = [
  ["2026-03-01", "2026-03-01 10:00:00.250", 'tab\t"q" it\'s', 18446744073709551615n, 1.5, ["x", "y'z"]],
  ["1970-01-02", "1970-01-01 00:00:01.000", "", 7, null, []],
];

function encode(name: string, options: Partial<FormatOptions> = {}, columns = COLUMNS, rows = ROWS): Buffer {
  const format = findFormat(name);
  assert.ok(format, name);
  const encoder = format.encoder(columns.map(toAnswerColumn), { quoteInt64: true, protocolRevision: 0, ...options });
  const parts = [
    encoder.begin(),
    ...rows.map((row) => encoder.rows([row])),
    encoder.end({ rows: rows.length, seconds: 0.5 }),
  ];
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

describe("an answer in ClickHouse's formats", () => {
  test("JSON has types, rows and statistics; large integers are text unless asked", () => {
    const body = JSON.parse(encode("JSON").toString()) as { meta: unknown[]; data: unknown[]; rows: number };
    assert.deepEqual(body.meta[2], { name: 'a "b"', type: "String" });
    assert.deepEqual(body.meta[1], { name: "at", type: "DateTime64(3, 'UTC')" });
    assert.deepEqual(body.data[0], {
      day: "2026-03-01",
      at: "2026-03-01 10:00:00.250",
      'a "b"': 'tab\t"q" it\'s',
      n: "18446744073709551615",
      f: 1.5,
      tags: ["x", "y'z"],
    });
    assert.equal(body.rows, 2);
    const [, second] = encode("JSONEachRow", { quoteInt64: false }).toString().trim().split("\n");
    assert.equal(second, `{"day":"1970-01-02","at":"1970-01-01 00:00:01.000","a \\"b\\"":"","n":7,"f":null,"tags":[]}`);
    const lines = encode("JSONCompactEachRowWithNamesAndTypes").toString().trim().split("\n");
    assert.deepEqual(JSON.parse(lines[1] ?? ""), [
      "Date",
      "DateTime64(3, 'UTC')",
      "String",
      "UInt64",
      "Nullable(Float64)",
      "Array(String)",
    ]);
    assert.equal(lines.length, 4);
    assert.equal((JSON.parse(encode("JSONCompact").toString()) as { data: unknown[][] }).data[1]?.[3], "7");
  });

  test("CSV and TabSeparated quote and escape as ClickHouse does", () => {
    const csv = encode("CSVWithNames").toString().split("\n");
    assert.equal(csv[0], '"day","at","a ""b""","n","f","tags"');
    assert.equal(
      csv[1],
      `"2026-03-01","2026-03-01 10:00:00.250","tab\t""q"" it's",18446744073709551615,1.5,"['x','y\\'z']"`,
    );
    assert.equal(csv[2], `"1970-01-02","1970-01-01 00:00:01.000","",7,\\N,"[]"`);
    const tsv = encode("TSVWithNamesAndTypes").toString().split("\n");
    assert.equal(tsv[1], "Date\tDateTime64(3, \\'UTC\\')\tString\tUInt64\tNullable(Float64)\tArray(String)");
    assert.equal(
      tsv[2],
      `2026-03-01\t2026-03-01 10:00:00.250\ttab\\t"q" it\\'s\t18446744073709551615\t1.5\t['x','y\\'z']`,
    );
  });

  test("RowBinaryWithNamesAndTypes has a head and values of fixed layout", () => {
    const columns = [
      { name: "s", type: "String" },
      { name: "n", type: "Nullable(Int32)" },
      { name: "d", type: "Date" },
      { name: "t", type: "DateTime" },
      { name: "m", type: "Map(String, UInt8)" },
    ];
    const body = encode("RowBinaryWithNamesAndTypes", {}, columns, [
      ["é", -2, "1970-01-03", "1970-01-01 00:01:00", { k: 9 }],
    ]);
    const head = [5, 1, "s", 1, "n", 1, "d", 1, "t", 1, "m", 6, "String", 15, "Nullable(Int32)", 4, "Date"];
    const tail = [15, "DateTime('UTC')", 18, "Map(String, UInt8)"];
    const values = [2, "é", 0, 0xfe, 0xff, 0xff, 0xff, 2, 0, 60, 0, 0, 0, 1, 1, "k", 9];
    const expected = [...head, ...tail, ...values].map((part) =>
      typeof part === "string" ? Buffer.from(part) : Buffer.of(part),
    );
    assert.deepEqual(body, Buffer.concat(expected));
  });

  test("Native has columns in blocks, with a block's head if the client's revision has one", () => {
    const columns = [
      { name: "n", type: "Nullable(UInt16)" },
      { name: "a", type: "Array(String)" },
    ];
    const body = (protocolRevision: number, rows: AnswerRow[]) => {
      const encoder = findFormat("Native")?.encoder(columns.map(toAnswerColumn), {
        quoteInt64: true,
        protocolRevision,
      });
      assert.ok(encoder);
      return Buffer.concat(
        [encoder.begin(), encoder.rows(rows), encoder.end({ rows: 0, seconds: 0 })].map((p) => Buffer.from(p)),
      );
    };
    const text = (value: string) => [value.length, ...Buffer.from(value)];
    const rows = [
      [5, ["x", "y"]],
      [null, ["z"]],
    ];
    const n = [0, 1, 5, 0, 0, 0];
    const a = [2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, ...text("x"), ...text("y"), ...text("z")];
    const [nHead, aHead] = [
      [...text("n"), ...text("Nullable(UInt16)")],
      [...text("a"), ...text("Array(String)")],
    ];
    assert.deepEqual([...body(0, rows)], [2, 2, ...nHead, ...n, ...aHead, ...a]);
    const info = [1, 0, 2, 255, 255, 255, 255, 0];
    assert.deepEqual([...body(54_460, rows)], [...info, 2, 2, ...nHead, 0, ...n, ...aHead, 0, ...a]);
    assert.deepEqual([...body(54_405, [])], [...info, 2, 0, ...nHead, ...aHead]);
  });

  test("every format encodes an answer without rows", () => {
    for (const name of FORMAT_NAMES) encode(name, {}, COLUMNS, []);
  });

  test("a number that does not fit into its column is an error, not another number", () => {
    assert.throws(() => encode("Native", {}, [{ name: "n", type: "Int64" }], [[2n ** 63n]]), /does not fit/);
  });

  test("a compressed block is LZ4 that any reader unpacks", () => {
    for (const size of [0, 1, 14, 15, 16, 269, 270, 271, 70_000]) {
      const data = Buffer.from(Array.from({ length: size }, (_, i) => i % 251));
      const block = toLz4Block(data);
      assert.equal(block[16], 0x82);
      assert.equal(block.readUInt32LE(17), block.length - 16);
      assert.equal(block.readUInt32LE(21), size);
      assert.deepEqual(unpackLiterals(block.subarray(25)), data);
    }
  });
});

/** LZ4 of one sequence: a token, the length of its literals, the literals. */
function unpackLiterals(packed: Buffer): Buffer {
  let length = (packed[0] ?? 0) >> 4;
  let at = 1;
  if (length === 15)
    for (;;) {
      const more = packed[at] ?? 0;
      at += 1;
      length += more;
      if (more < 255) break;
    }
  assert.equal(at + length, packed.length);
  return packed.subarray(at);
}
