import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { LIMITS } from "../contract/limits.ts";
import { IS_LONG, SEED } from "../lib/testing.ts";
import { takeClean } from "./take-clean.ts";
import { measureLarge, takeEvents } from "./take-events.ts";
import { anyBody, brokenBody } from "./testing.ts";

const EVENT = {
  channel: "web",
  type: "page",
  anonymous_id: "a",
  user_id: null,
  address: "",
  event: "",
  context: { page_url: "https://a.example/", sizes: [1, 2.5, { w: -3 }] },
  properties: '{"url":"https://a.example/"}',
  version: "0",
  original_timestamp: "2026-03-10T11:59:58.000Z",
  sent_at: "2026-03-10T11:59:59.000Z",
  message_id: "m-1",
};
const KEY_SEED = { low: 1, high: 2 };
const take = (value: unknown, rules: "raw" | "tracked" = "tracked") =>
  takeClean(Buffer.from(typeof value === "string" ? value : JSON.stringify(value)), {
    rules,
    lines: false,
    detail: false,
    seed: KEY_SEED,
  });

describe("one pass over a body", () => {
  test("takes what the parser takes, with the same answer, and leaves it everything else", () => {
    let clean = 0;
    const body = fc.oneof(
      anyBody.map((text) => Buffer.from(text)),
      brokenBody,
    );
    const rules = fc.record({
      rules: fc.constantFrom("raw" as const, "tracked" as const),
      lines: fc.boolean(),
      detail: fc.boolean(),
      seed: fc.constant(KEY_SEED),
    });
    fc.assert(
      fc.property(body, rules, (bytes, how) => {
        const taken = takeClean(bytes, how);
        if (taken === undefined) return;
        clean += 1;
        assert.deepEqual(taken, takeEvents(bytes, measureLarge(bytes, how.lines), how));
      }),
      { seed: SEED, numRuns: IS_LONG ? 10_000 : 600 },
    );
    assert.ok(clean > 50, `${clean} bodies were clean`);
  });

  test("takes objects and texts of objects, lists and single events, whatever their texts hold", () => {
    for (const value of [EVENT, [EVENT], [EVENT, { ...EVENT, event: 'ü 漢 "\\\n' }], { ...EVENT, extra: { a: [] } }])
      assert.equal(take(value)?.kind, "events", JSON.stringify(value));
    const least = { channel: "web", type: "page", anonymous_id: "a", version: "0" };
    assert.equal(take(least), undefined, "tracked events have all fields");
    assert.deepEqual(take(least, "raw"), {
      kind: "events",
      batch: false,
      clean: true,
      accepted: 1,
      parked: 0,
      keys: [],
      results: undefined,
    });
  });

  test("leaves to the parser what exceeds a limit", () => {
    const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`) as object;
    const deepest = LIMITS.jsonDepth - 1;
    assert.equal(take({ ...EVENT, context: nested(deepest) })?.kind, "events");
    assert.equal(take({ ...EVENT, context: nested(deepest + 1) }), undefined);
    assert.equal(take({ ...EVENT, context: { a: "x".repeat(LIMITS.eventBytes) } }), undefined);
    assert.equal(take(Array.from({ length: LIMITS.eventsPerRequest + 1 }, () => EVENT)), undefined);
    const many = { a: Array.from({ length: 120_000 }, () => 1) };
    assert.equal(take(Array.from({ length: 5 }, () => ({ ...EVENT, context: many }))), undefined);
  });

  test("goes on after a sender of names that it cannot keep", () => {
    for (let n = 0; n < 5_000; n += 1) {
      const named = { ...EVENT, context: { [`name_${n}`]: 1, [`other_${n}`]: 2 } };
      const taken = take(named);
      assert.ok(taken === undefined || taken.kind === "events");
    }
    assert.equal(take(EVENT)?.kind, "events");
  });
});
