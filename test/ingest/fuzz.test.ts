import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { SEED } from "../../src/lib/testing.ts";
import { readLedger } from "../../src/warehouse/ledger.ts";
import { readMetrics, waitForLedgerMetrics } from "../support/metrics.ts";
import { createOddBodies, type OddBody } from "../support/odd-bodies.ts";
import { cutRequest } from "../support/raw-http.ts";
import { type Credentials, makeDataDir, readCredentials, startService, type TestService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";
import { connectWarehouse, selectNumber } from "../support/warehouse.ts";

const BODIES = Number(process.env.TEST_BODIES ?? 1_000);
const AT_ONCE = 16;

interface Answer {
  accepted?: number;
  parked?: number;
  results?: { index: number; status: string }[];
  error?: { code: string };
}

describe(`${BODIES} odd bodies`, () => {
  const data = makeDataDir();
  let service: TestService;
  let keys: Credentials;
  before(async () => {
    service = await startService(data.dir, {
      SEXTANT_LOG_LEVEL: "warn",
      SEXTANT_EVENTS_RATE_PER_SECOND: "100000",
      SEXTANT_EVENTS_RATE_BURST: "100000",
    });
    keys = readCredentials(data.dir);
  });
  after(async () => {
    await service.kill("SIGTERM");
    data.remove();
  });

  test("cause no 5xx and no crash; accepted is stored, refused is absent, and ledger and metrics add up", {
    timeout: 300_000,
  }, async (t) => {
    const accepted = new Set<string>();
    const refused = new Set<string>();
    /** Batches for which only the number of accepted events is known. */
    const counted: { markers: string[]; accepted: number }[] = [];
    const statuses = new Map<number, number>();
    let cuts = 0;
    const makeBody = createOddBodies(SEED);
    /** The expected ledger, from the requests and their responses. */
    const model = { received: 0, stored: 0, duplicate: 0, parked: 0, refused: 0 };

    async function post({ body, path, headers }: OddBody): Promise<{ status: number; answer: Answer }> {
      const answer = await fetch(service.eventsUrl + path, {
        method: "POST",
        headers: { ...headers, authorization: `Bearer ${keys.writeKey}` },
        body,
      });
      const text = await answer.text();
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      return { status: answer.status, answer: JSON.parse(text) as Answer };
    }

    /** An incomplete request was not received. */
    async function cut({ body, path, headers, markers }: OddBody, bytes: number): Promise<void> {
      await cutRequest(service.eventsUrl + path, { ...headers, authorization: `Bearer ${keys.writeKey}` }, body, bytes);
      for (const marker of markers) refused.add(marker);
      cuts += 1;
    }

    function count({ items }: OddBody, status: number, answer: Answer, again: boolean): void {
      if (status !== 200) {
        // Every event is listed as invalid or counted as over the limit. An unreadable body counts as one.
        const refusals = answer.error?.code === "INVALID_VALIDATION_REQUEST" || status === 413 ? items : 1;
        model.refused += refusals;
        model.received += refusals;
        return;
      }
      const { accepted: taken = 1, parked = 0 } = answer;
      assert.equal(taken + parked, items);
      model.received += items;
      model.parked += parked;
      model[again ? "duplicate" : "stored"] += taken;
    }

    function remember({ markers }: OddBody, status: number, { results, accepted: taken, parked }: Answer): void {
      if (status !== 200) for (const marker of markers) refused.add(marker);
      else if (results === undefined && taken !== undefined && parked !== 0) counted.push({ markers, accepted: taken });
      else {
        markers.forEach((marker, index) => {
          const one = results === undefined ? "accepted" : results.find((result) => result.index === index)?.status;
          if (one === "parked") refused.add(marker);
          else if (one !== undefined) accepted.add(marker);
        });
      }
    }

    async function send(number: number): Promise<void> {
      const made = makeBody(number);
      if (made.cutAfter !== undefined) {
        await cut(made, made.cutAfter);
        return;
      }
      const { status, answer } = await post(made);
      if (made.status !== undefined) assert.equal(status, made.status, `case ${number}`);
      assert.ok(status < 500, `${status} ${JSON.stringify(answer).slice(0, 200)} for case ${number}`);
      count(made, status, answer, false);
      remember(made, status, answer);
      if (!made.twice) return;
      const again = await post(made);
      assert.equal(again.status, status);
      count(made, again.status, again.answer, true);
    }
    let number = 0;
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (number < BODIES) {
          number += 1;
          await send(number);
        }
      }),
    );
    t.diagnostic(
      `statuses ${JSON.stringify([...statuses])}, ${cuts} cut off, ${accepted.size} accepted, ${refused.size} refused or parked`,
    );
    assert.equal(service.child.exitCode, null);
    assert.ok(accepted.size > BODIES / 2 && refused.size > BODIES / 10, "the mix holds both");

    const warehouse = connectWarehouse(data.dir);
    t.after(() => warehouse.close());
    const window = { fromMs: Date.now() - 3_600_000, toMs: Date.now() + 60_000 };
    const readSums = async () => {
      const sums = { received: 0, stored: 0, duplicate: 0, parked: 0, refused: 0 };
      for (const line of await readLedger(warehouse, [keys.projectId], window))
        for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += line[name];
      return sums;
    };
    const follow = async () => (await readSums()).received >= model.received;
    await waitFor("the ledger to follow", follow, 20_000).catch(() => undefined);
    const { rows } = await warehouse.select<{ id: string }>("SELECT DISTINCT anonymous_id AS id FROM events");
    const stored = new Set(rows.map((row) => row.id));
    assert.deepEqual(
      [...accepted].filter((marker) => !stored.has(marker)),
      [],
      "accepted but not stored",
    );
    assert.deepEqual(
      [...refused].filter((marker) => stored.has(marker)),
      [],
      "refused but stored",
    );
    for (const batch of counted) {
      assert.equal(
        batch.markers.filter((marker) => stored.has(marker)).length,
        batch.accepted,
        batch.markers.join(" "),
      );
    }
    assert.ok(model.duplicate > 0 && model.parked > 0 && counted.length > 0, "the mix holds all of it");
    assert.ok(cuts > 0 && statuses.has(413) && statuses.has(415), "and what is cut off, too large or of another type");
    assert.deepEqual(await readSums(), model);
    assert.deepEqual(await waitForLedgerMetrics(service.opsUrl, model.received), model, "as the ledger has it");
    const outcomes = ["stored", "duplicate", "parked", "refused"].map((outcome) => `sextant_events_${outcome}_total`);
    const metrics = ["sextant_events_total", ...outcomes];
    const counts = [model.received, model.stored, model.duplicate, model.parked, model.refused];
    await waitFor("the counters to have it, too", async () => {
      const metric = await readMetrics(service.opsUrl);
      return isDeepStrictEqual(
        metrics.map((name) => metric(name)),
        counts,
      );
    });
    assert.equal(await selectNumber(warehouse, "SELECT count(*) AS n FROM events"), model.stored);
    assert.equal(await selectNumber(warehouse, "SELECT count(*) AS n FROM parked_events"), model.parked);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });
});
