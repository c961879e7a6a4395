import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { IS_LONG, SEED } from "../../src/lib/testing.ts";
import { startProcess } from "../support/process.ts";
import { MAIN, makeDataDir, readCredentials, serviceEnv, startService, type TestService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";
import { connectWarehouse, selectNumber } from "../support/warehouse.ts";

const KILLS = IS_LONG ? 20 : 1;
const ROWS = IS_LONG ? 150_000 : 16_000;
/** The import shows its progress once for each batch of so many events. */
const PER_BATCH = 2_000;
const BAD_EVERY = 1_000;

describe("kill -9 of an import", () => {
  const data = makeDataDir();
  let service: TestService;
  before(async () => {
    service = await startService(data.dir, { SEXTANT_EVENTS_RATE_BURST: "1000000" });
  });
  after(async () => {
    await service.kill("SIGTERM");
    data.remove();
  });

  /** Rows without a key, of which every third is equal to the one before, and some that are no events. */
  function writeFile(path: string): { events: number; refused: number[] } {
    writeFileSync(path, "");
    const refused: number[] = [];
    for (let from = 0; from < ROWS; from += 10_000) {
      const lines: string[] = [];
      for (let n = from; n < Math.min(ROWS, from + 10_000); n += 1) {
        const unlike = n % 3 === 2 ? n - 1 : n;
        const row = { timestamp: 1_600_000_000 + unlike * 60, event: "Step", anonymous_id: `v${unlike % 500}` };
        if (n % BAD_EVERY === 7) refused.push(n + 1);
        lines.push(n % BAD_EVERY === 7 ? `{"event":"Step","n":${n}}` : JSON.stringify(row));
      }
      appendFileSync(path, `${lines.join("\n")}\n`);
    }
    return { events: ROWS - refused.length, refused };
  }

  test(`${KILLS} times at random moments: the next starts go on, no row is lost, doubled or refused twice`, {
    timeout: 600_000,
  }, async (t) => {
    const path = join(data.dir, "..", "history.ndjson");
    const { events, refused } = writeFile(path);
    const { projectId } = readCredentials(data.dir);
    const start = () => startProcess([MAIN, "import", "events", path], serviceEnv(data.dir));
    let random = SEED;
    const draw = (most: number) => {
      random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
      return random % most;
    };
    for (let kill = 0; kill < KILLS; kill += 1) {
      const running = start();
      const wanted = draw(ROWS / PER_BATCH - 2);
      const shown = () => running.stderr().split("\r").length - 1;
      await waitFor("the moment", () => shown() >= wanted || running.child.exitCode !== null, 300_000);
      await running.kill("SIGKILL");
      t.diagnostic(
        `kill ${kill}: ${/goes on after row \d+/.exec(running.stderr())?.[0] ?? "from the beginning"}, ${wanted} batches shown`,
      );
    }
    const last = start();
    assert.equal(await last.exited, 0, last.stderr());
    const warehouse = connectWarehouse(data.dir);
    t.after(() => warehouse.close());
    const stored = () => selectNumber(warehouse, `SELECT count(*) AS n FROM events WHERE project_id = '${projectId}'`);
    await waitFor("all events", async () => (await stored()) >= events);
    assert.equal(
      await selectNumber(
        warehouse,
        `SELECT count(DISTINCT message_id) AS n FROM events WHERE project_id = '${projectId}'`,
      ),
      events,
    );
    const listed = readFileSync(`${path}.refused.ndjson`, "utf8").trimEnd().split("\n");
    assert.deepEqual(
      listed.map((text) => (JSON.parse(text) as { line: number }).line),
      refused,
    );

    const again = start();
    assert.equal(await again.exited, 0, again.stderr());
    const counted = async (outcome: string) =>
      selectNumber(
        warehouse,
        `SELECT coalesce(sum(events), 0) AS n FROM ledger WHERE project_id = '${projectId}' AND outcome = '${outcome}'`,
      );
    await waitFor("the copies", async () => (await counted("duplicate")) >= events);
    assert.equal(await stored(), events, "a second run adds nothing");
    assert.equal(await counted("stored"), events);
    await waitFor("the refused rows of both runs", async () => (await counted("refused")) >= 2 * refused.length);
    assert.deepEqual(readFileSync(`${path}.refused.ndjson`, "utf8").trimEnd().split("\n").length, refused.length);
  });
});
