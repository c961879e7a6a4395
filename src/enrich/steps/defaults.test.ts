import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseKeepingNumbers, stringifyKeepingNumbers } from "../../lib/json-numbers.ts";
import type { Origin } from "../received-event.ts";
import { RECEIVED_AT, sampleDraft } from "../testing.ts";
import type { Fields } from "../text.ts";
import { putDefaults } from "./defaults.ts";

const [ORIGINAL, SENT] = ["2026-03-10T09:00:00.000Z", "2026-03-10T10:00:00.000Z"];
const NOTHING = { message_id: undefined, original_timestamp: undefined, sent_at: undefined };

function withDefaults(raw: Fields, origin: Partial<Origin> = {}) {
  const draft = sampleDraft({ raw: { ...NOTHING, ...raw }, origin });
  putDefaults(draft);
  return draft;
}

describe("defaults for missing fields", () => {
  const cases: [what: string, raw: Fields, id: string, original: string, sent: string][] = [
    ["everything", {}, "spare-1", RECEIVED_AT, RECEIVED_AT],
    ["nulls", { message_id: null, original_timestamp: null, sent_at: null }, "spare-1", RECEIVED_AT, RECEIVED_AT],
    ["an empty id", { message_id: "" }, "spare-1", RECEIVED_AT, RECEIVED_AT],
    ["the times", { message_id: "m" }, "m", RECEIVED_AT, RECEIVED_AT],
    ["the event's time", { message_id: "m", sent_at: SENT }, "m", SENT, SENT],
    ["the time it was sent", { message_id: "m", original_timestamp: ORIGINAL }, "m", ORIGINAL, RECEIVED_AT],
    ["the id", { original_timestamp: ORIGINAL, sent_at: SENT }, "spare-1", ORIGINAL, SENT],
  ];
  for (const [what, raw, ...expected] of cases) {
    it(`${what} is filled in, and nothing else changes`, () => {
      const { message_id, original_timestamp, sent_at, ...rest } = withDefaults({ ...raw, plan: "pro" }).raw;
      assert.deepEqual([message_id, original_timestamp, sent_at], expected);
      assert.equal(rest.plan, "pro");
    });
  }

  it("a complete event stays the same object", () => {
    const draft = sampleDraft();
    const { raw } = draft;
    putDefaults(draft);
    assert.equal(draft.raw, raw);
  });

  it("a number that a double cannot hold keeps all its digits", () => {
    const draft = sampleDraft();
    draft.raw = parseKeepingNumbers('{"amount":123456789012345678901234567890}') as Fields;
    putDefaults(draft);
    assert.match(stringifyKeepingNumbers(draft.raw), /"amount":123456789012345678901234567890\b/);
  });
});

describe("an event is undated", () => {
  const cases: [what: string, raw: Fields, repeatable: boolean, undated: boolean][] = [
    ["without a time, under an id of its own", { message_id: "m" }, false, true],
    ["without a time, in a request that makes the same ids again", {}, true, true],
    ["unless its id changes with every try", {}, false, false],
    ["unless it has a time", { message_id: "m", original_timestamp: ORIGINAL }, true, false],
  ];
  for (const [what, raw, repeatable, undated] of cases) {
    it(what, () => assert.equal(withDefaults(raw, { repeatable }).undated, undated));
  }
});
