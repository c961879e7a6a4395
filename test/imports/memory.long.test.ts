import assert from "node:assert/strict";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { after, before, describe, test } from "node:test";
import { createGzip } from "node:zlib";
import { watchMemory } from "../../bench/usage.ts";
import { startProcess } from "../support/process.ts";
import { MAIN, makeDataDir, serviceEnv, startService, type TestService } from "../support/service.ts";

const MEGABYTES = 300;
const MOST_MB = 1_000;

describe("the memory of an import", () => {
  const data = makeDataDir();
  let service: TestService;
  before(async () => {
    service = await startService(data.dir, {
      SEXTANT_EVENTS_RATE_PER_SECOND: "1000000",
      SEXTANT_EVENTS_RATE_BURST: "10000000",
    });
  });
  after(async () => {
    await service.kill("SIGTERM");
    data.remove();
  });

  /** Rows without a key, so that every one takes a place in the table of occurrences. */
  function* lines(): Generator<string> {
    for (let bytes = 0, n = 0; bytes < MEGABYTES * 1e6; n += 1) {
      const row = {
        timestamp: 1_600_000_000 + n,
        event: "Step",
        anonymous_id: `v${n % 10_000}`,
        note: "n".repeat(200),
      };
      const line = `${JSON.stringify(row)}\n`;
      bytes += line.length;
      yield line;
    }
  }

  test(`of ${MEGABYTES} MB of JSON lines, packed: at most ${MOST_MB} MB`, { timeout: 1_200_000 }, async (t) => {
    const path = join(data.dir, "..", "large.ndjson.gz");
    await pipeline(lines(), createGzip({ level: 1 }), createWriteStream(path));
    const running = startProcess([MAIN, "import", "events", path], serviceEnv(data.dir));
    const watched = watchMemory(running.child.pid ?? 0);
    assert.equal(await running.exited, 0, running.stderr().slice(-500));
    const { serviceMb } = watched.stop();
    t.diagnostic(`at most ${Math.round(serviceMb)} MB; ${running.stdout().trim()}`);
    assert.ok(serviceMb > 0 && serviceMb < MOST_MB, `${serviceMb} MB`);
  });
});
