import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { it } from "node:test";
import fc from "fast-check";
import { SEED } from "../../src/lib/testing.ts";
import { openTestLog, readTexts } from "../support/faulty-files.ts";

const CYCLES = 5;
const APPENDERS = 64;

/** The process that is killed: many appenders at full speed, each acknowledged record named on stdout. */
async function appendForever(dir: string, cycle: string): Promise<never> {
  const log = await openTestLog(dir, { segmentBytes: 512 * 1024 });
  const filler = Buffer.alloc(2000, "f");
  const appenders = Array.from({ length: APPENDERS }, async (_, who): Promise<never> => {
    for (let i = 0; ; i += 1) {
      const name = `${cycle}.${who}.${i}`;
      await log.append([Buffer.from(`${name}:`), filler.subarray(0, (who * 37 + i * 13) % 2000)]);
      process.stdout.write(`${name}\n`);
    }
  });
  return Promise.race(appenders);
}

const [, , role, dir = "", cycle = ""] = process.argv;
if (role === "appender") {
  await appendForever(dir, cycle);
} else {
  it(`has every acknowledged record after each of ${CYCLES} kill -9 at full speed, and none torn`, async (t) => {
    const lives = fc.sample(fc.integer({ min: 1, max: 6000 }), { seed: SEED, numRuns: CYCLES });
    const under = mkdtempSync(join(tmpdir(), "log-kill-"));
    const acknowledged = new Set<string>();
    for (const [i, killAfter] of lives.entries()) {
      await killWhileAppending(under, i, killAfter, acknowledged);
      const log = await openTestLog(under);
      const texts = await readTexts(log, undefined, 1024 * 1024);
      await log.close();
      const names = texts.map((text) => text.slice(0, text.indexOf(":")));
      assert.equal(new Set(names).size, names.length, "no record twice");
      assert.deepEqual([...acknowledged.difference(new Set(names))], []);
      assert.ok(texts.every((text) => /^[\d.]+:f*$/.test(text)));
    }
    t.diagnostic(`${acknowledged.size} acknowledged records over ${CYCLES} kills`);
    rmSync(under, { recursive: true });
  });
}

async function killWhileAppending(
  under: string,
  i: number,
  killAfter: number,
  acknowledged: Set<string>,
): Promise<void> {
  const child = spawn(process.execPath, [import.meta.filename, "appender", under, String(i)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  let seen = 0;
  for await (const name of createInterface({ input: child.stdout })) {
    // The last line may be cut by the kill; a name that is a part of another would still be looked for.
    if (/^\d+\.\d+\.\d+$/.test(name)) acknowledged.add(name);
    seen += 1;
    if (seen === killAfter) child.kill("SIGKILL");
  }
  await closed;
}
