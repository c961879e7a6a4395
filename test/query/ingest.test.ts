import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { type IngestNumbers, ingestNumbers } from "../../src/query/ledger/ingest.ts";
import { createRunLookup } from "../../src/query/run/run-lookup.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { ENGINES, type StartedEngine } from "../support/both-engines.ts";
import { sampleEvent } from "../support/events.ts";
import { createTestWriter } from "../support/local-engine.ts";

const MINUTE = Date.UTC(2026, 10, 15, 12, 0);
const HOUR_MS = 3_600_000;

for (const { name, skip, start } of ENGINES)
  describe(`what happened to every event, on ${name}`, { skip }, () => {
    let host: StartedEngine;
    let engine: AnalyticsEngine;
    before(async () => {
      host = await start();
      engine = host.engine;
      const write = await createTestWriter(engine);
      const event = sampleEvent("a");
      await write("one", [sampleEvent("before")], MINUTE - HOUR_MS - 1);
      await write("one", [sampleEvent("earlier")], MINUTE - HOUR_MS + 60_000);
      await write("one", [event, event, { type: 1 }, 5], MINUTE);
      await write("one", { why: "too_many", count: 6_000 }, MINUTE + 2_000);
      await write("other", [sampleEvent("b")], MINUTE);
    });
    after(() => host?.stop());

    function ask(ids: readonly string[], hours: number, nowMs: number): Promise<IngestNumbers> {
      const slots = createQuerySlots({ running: 1, waiting: 0, waitMs: 1 });
      const run = createRunLookup({ engine, clock: { nowMs: () => nowMs }, slots });
      const projects = ids.map((id) => ({ id, excludeBots: false, retentionDays: null }));
      return run(ingestNumbers(hours), { workspaceId: "w", projects }, new AbortController().signal);
    }

    test("the last hour adds up, with its reasons and a point for every minute", async () => {
      const { from, to, reasons, series, ...total } = await ask(["one"], 1, MINUTE + 30_000);
      assert.deepEqual(total, { received: 6_005, stored: 2, duplicate: 1, parked: 2, refused: 6_000 });
      assert.deepEqual([from, to], ["2026-11-15T11:01:00.000Z", "2026-11-15T12:01:00.000Z"]);
      assert.deepEqual(reasons, [
        { outcome: "refused", reason: "too_many", events: 6_000 },
        { outcome: "parked", reason: "invalid_fields", events: 1 },
        { outcome: "parked", reason: "not_an_object", events: 1 },
      ]);
      assert.equal(series.length, 60);
      assert.equal(series[0]?.stored, 1);
      const last = { received: 6_004, stored: 1, duplicate: 1, parked: 2, refused: 6_000 };
      assert.deepEqual(series.at(-1), { at: "2026-11-15T12:00:00.000Z", ...last });
    });

    test("a day is in hours, and holds what the minutes hold", async () => {
      const { series, received } = await ask(["one", "other"], 24, MINUTE + 30_000);
      assert.equal(series.length, 24);
      assert.deepEqual([received, series.at(-1)?.received, series.at(-2)?.received], [6_007, 6_005, 1]);
    });

    test("without projects there is nothing, and every minute is there", async () => {
      const { received, series } = await ask([], 1, MINUTE);
      assert.deepEqual([received, series.length], [0, 60]);
    });
  });
