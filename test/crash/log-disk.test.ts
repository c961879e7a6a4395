import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { LogUnavailable } from "../../src/ingest/log-errors.ts";
import { openTestLog, readTexts } from "../support/faulty-files.ts";

/** A mount namespace of its own: the small file system goes with the process, whatever happens to the test. */
const NAMESPACE = ["--map-root-user", "--mount"];
/** Mounts over the last argument of the command it then becomes. */
const WITH_SMALL_DISK = 'mount -t tmpfs -o size=8m tmpfs "$3" && exec "$0" "$@"';
const MIB = 1024 * 1024;

/** Runs where `dir` is a file system of 8 MiB. */
async function fillTheDisk(dir: string): Promise<void> {
  const ballast = join(dir, "ballast");
  writeFileSync(ballast, Buffer.alloc(4 * MIB));
  const log = await openTestLog(join(dir, "log"), { segmentBytes: MIB });
  const acknowledged: string[] = [];
  let refusal: unknown;
  for (let i = 0; refusal === undefined; i += 1) {
    assert.ok(i < 2000, "the disk gets full");
    const texts = [0, 1, 2, 3].map((k) => `${i}.${k}:`.padEnd(20_000, "d"));
    const settled = await Promise.allSettled(texts.map((text) => log.append(Buffer.from(text))));
    for (const [k, result] of settled.entries()) {
      if (result.status === "fulfilled") acknowledged.push(texts[k] ?? "");
      else refusal = result.reason;
    }
  }
  assert.ok(refusal instanceof LogUnavailable && refusal.reason === "disk_full", "refused as a full disk");
  assert.deepEqual(await readTexts(log, undefined, MIB), acknowledged, "reads go on");
  await assert.rejects(log.append(Buffer.alloc(20_000)), LogUnavailable);
  rmSync(ballast);
  const start = performance.now();
  while (log.stats().state !== "ok") await sleep(10);
  const tookMs = Math.round(performance.now() - start);
  assert.ok(tookMs < 10_000, `recovery took ${tookMs} ms`);
  await log.append(Buffer.from("after"));
  await log.close();
  const again = await openTestLog(join(dir, "log"));
  assert.deepEqual(await readTexts(again, undefined, MIB), [...acknowledged, "after"]);
  await again.close();
  process.stdout.write(
    `${acknowledged.length} records of 20 kB before the disk was full; well ${tookMs} ms after room was made\n`,
  );
}

/** Runs under a file size limit of 2 MiB, below the segment size: each segment ends with EFBIG and another follows. */
async function meetTheFileLimit(dir: string): Promise<void> {
  const log = await openTestLog(join(dir, "log"), { segmentBytes: 4 * MIB });
  const acknowledged: string[] = [];
  let refused = 0;
  while (acknowledged.length < 50) {
    const text = `${acknowledged.length}:`.padEnd(100_000, "l");
    try {
      await log.append(Buffer.from(text));
      acknowledged.push(text);
    } catch (cause) {
      assert.ok(cause instanceof LogUnavailable && cause.reason === "disk_full", String(cause));
      refused += 1;
      while (log.stats().state !== "ok") await sleep(10);
    }
  }
  assert.equal(refused, 2, "2 MiB hold 20 records of 100 kB");
  await log.close();
  const again = await openTestLog(join(dir, "log"));
  assert.deepEqual(await readTexts(again, undefined, MIB), acknowledged);
  await again.close();
}

const [, , role, dir = ""] = process.argv;
if (role === "full") {
  await fillTheDisk(dir);
} else if (role === "limit") {
  await meetTheFileLimit(dir);
} else {
  const may = (command: string, args: string[]) => spawnSync(command, args).status === 0;
  const canMount = may("unshare", [...NAMESPACE, "mount", "-t", "tmpfs", "tmpfs", tmpdir()]);
  const canLimit = may("prlimit", ["--fsize=2097152", "true"]);

  it(
    "a file system that is really full: refused, readable, well again when room is made",
    {
      skip: canMount ? false : "no permission to mount a tmpfs in a namespace",
    },
    (t) => t.diagnostic(runAs("full", "unshare", [...NAMESPACE, "sh", "-c", WITH_SMALL_DISK])),
  );

  it("a real file size limit is refused like a full disk, and the next segment takes over", {
    skip: canLimit ? false : "no prlimit on this machine",
  }, () => {
    runAs("limit", "prlimit", ["--fsize=2097152"]);
  });
}

function runAs(as: string, command: string, args: string[]): string {
  const under = mkdtempSync(join(tmpdir(), "log-disk-"));
  try {
    const child = [process.execPath, import.meta.filename, as, under];
    const { status, stdout, stderr } = spawnSync(command, [...args, ...child], { encoding: "utf8", timeout: 120_000 });
    assert.equal(status, 0, stderr);
    return stdout.trim();
  } finally {
    rmSync(under, { recursive: true });
  }
}
