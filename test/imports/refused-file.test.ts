import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { openRefusedFile, type RefusedLine } from "../../src/imports/refused-file.ts";

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
    const size = await file.append(lines.map(lineOf));
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
});
