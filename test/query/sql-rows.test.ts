import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, test } from "node:test";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { createStreamThread } from "../../src/lib/stream-thread.ts";
import { encodeThere } from "../../src/query/sql/answer-thread.ts";
import { encode, PARQUET_MODULE } from "../../src/query/sql/parquet.ts";
import { readSqlRows } from "../../src/query/sql/rows.ts";

const COLUMNS = [{ name: "a", type: "String" }];
const TEXT = `${JSON.stringify(COLUMNS)}\n["x,\\n\\"é"]\n[["n"]]\n[null]\n{"isCut":false}\n`;

function streamOf(text: string, size: number): Readable {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
  return Readable.from(pieces, { objectMode: false });
}

async function readAll(text: string, size: number) {
  const { columns, rows } = await readSqlRows(streamOf(text, size));
  const all: unknown[] = [];
  for await (const batch of rows) all.push(...batch);
  return { columns, rows: all };
}

describe("rows of a statement", () => {
  test("are the same however the stream is cut into pieces", async () => {
    for (const size of [1, 2, 7, 30, 1000])
      assert.deepEqual(await readAll(TEXT, size), { columns: COLUMNS, rows: [['x,\n"é'], [["n"]], [null]] });
  });

  test("that were cut are an error, and so is an answer without its end", async () => {
    await assert.rejects(readAll(TEXT.replace("false", "true"), 20), /too many rows/);
    await assert.rejects(readAll(TEXT.slice(0, -16), 20), /no end/);
    await assert.rejects(readAll("", 1), /no columns/);
  });

  test("that nobody reads to the end free their stream", async () => {
    const body = streamOf(TEXT.repeat(1), 5);
    const { rows } = await readSqlRows(body);
    for await (const batch of rows) {
      assert.equal(batch.length, 1);
      break;
    }
    assert.ok(body.destroyed);
  });
});

describe("a Parquet file", () => {
  test("has a row group for each MB, and all rows up to the limit", async () => {
    const line = `${JSON.stringify(["x".repeat(1_000)])}\n`;
    const body = streamOf(`${JSON.stringify(COLUMNS)}\n${line.repeat(5_000)}{"isCut":true}\n`, 100_000);
    const { buffer: file } = Uint8Array.from(await buffer(encode(body)));
    assert.equal(parquetMetadata(file).row_groups.length, 5);
    assert.equal((await parquetReadObjects({ file })).length, 5_000);
  });

  test("is the same when the thread writes it, and frees its answer when nobody reads on", async (t) => {
    const thread = createStreamThread();
    t.after(() => thread.close());
    const there = (body: Readable) => encodeThere<void>(thread, PARQUET_MODULE, body, undefined);
    const [here, far] = [await buffer(encode(streamOf(TEXT, 7))), await buffer(there(streamOf(TEXT, 9)))];
    assert.deepEqual(far, here);
    await assert.rejects(buffer(there(streamOf(TEXT.slice(0, -16), 20))), /no end/);
    const huge = `${JSON.stringify(COLUMNS)}\n${JSON.stringify(["x".repeat(5 * 1024 ** 2)])}\n{"isCut":false}\n`;
    await assert.rejects(buffer(there(streamOf(huge, 100_000))), {
      code: "BAD_REQUEST",
      message: /a row of more than/,
    });
    const body = streamOf(TEXT, 5);
    for await (const _ of there(body)) break;
    assert.ok(body.destroyed);
  });

  test("of an answer without its end fails", async () => {
    await assert.rejects(buffer(encode(streamOf(TEXT.slice(0, -16), 20))), /no end/);
  });
});
