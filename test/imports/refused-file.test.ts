import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { openRefusedFile, type RefusedLine, toRefusedText } from "../../src/imports/refused-file.ts";
import { runImport } from "../../src/imports/run-import.ts";

describe("the file of refused rows", () => {
  const dir = mkdtempSync(join(tmpdir(), "refused-"));
  after(() => rmSync(dir, { recursive: true, force: true }));

  const lineOf = (line: number): RefusedLine => ({ line, reason: "it is none", value: null });
  const linesOf = (path: string) =>
    readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((text) => (JSON.parse(text) as RefusedLine).line);

  async function write(path: string, bytes: number, lines: readonly number[]): Promise<number> {
    const file = await openRefusedFile(path, bytes);
    const size = await file.append(lines.map((line) => toRefusedText(lineOf(line))));
    await file.close();
    return size;
  }

  test("goes on behind the last line that was saved", async () => {
    const path = join(dir, "cut.ndjson");
    const saved = await write(path, 0, [1, 2]);
    await write(path, saved, [3]);
    assert.equal(await write(path, saved, [4]), readFileSync(path).length);
    assert.deepEqual(linesOf(path), [1, 2, 4]);
  });

  test("begins again where somebody has removed it, or names another one", async () => {
    const path = join(dir, "removed.ndjson");
    const saved = await write(path, 0, [1, 2]);
    rmSync(path);
    assert.equal(await write(path, saved, [3]), readFileSync(path).length);
    assert.deepEqual(linesOf(path), [3]);
  });

  test("has no line for which there is no room, and counts its own bytes alone", async () => {
    const path = join(dir, "full.ndjson");
    const [one = "", two = ""] = [1, 2].map((line) => toRefusedText(lineOf(line)));
    const file = await openRefusedFile(path, 0, async (size, added) => size + added <= one.length);
    assert.equal(await file.append([one, two]), 0);
    assert.ok(!existsSync(path));
    assert.equal(await file.append([one]), one.length);
    assert.equal(await file.append([two]), one.length);
    await file.close();
    assert.deepEqual(linesOf(path), [1]);
  });

  test("lists a long row by its beginning, and a batch of long rows is few of them", async () => {
    const long = "x".repeat(1_000_000);
    const line = JSON.parse(toRefusedText({ line: 1, reason: "it is none", value: { a: long } })) as RefusedLine;
    assert.deepEqual([line.line, String(line.value).slice(0, 8), String(line.value).length], [1, '{"a":"xx', 4_000]);
    // Rows of 60 KB, which are listed whole: a thousand of them would be 60 MB.
    const path = join(dir, "long.ndjson");
    const good = '{"good":true}\n';
    writeFileSync(path, `${good}${`{"a":"${"x".repeat(60_000)}"}\n`.repeat(300)}`);
    let most = 0;
    const { refused } = await runImport({
      ...{ path, begin: { rows: 0, events: 0, refused: 0, refusedBytes: 0, hasKeyless: false } },
      judged: { label: "rows", file: "rows", needs: [], item: "a row" },
      mapper: {
        hasKeyless: () => false,
        map: ({ value }) =>
          value?.good === true ? { texts: ["{}"], refused: undefined } : { texts: [], refused: "no" },
      },
      door: { send: async () => ({ refused: new Map() }), refuse: async () => undefined },
      refused: {
        async append(texts) {
          most = Math.max(most, texts.join("").length);
          return 0;
        },
        sync: async () => undefined,
        close: async () => undefined,
      },
      save: async () => undefined,
      onProgress: () => undefined,
      signal: new AbortController().signal,
    });
    assert.equal(refused, 300);
    assert.ok(most > 0 && most < 3e6, `${most} characters`);
  });
});
