import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createEnrich } from "../enrich/pipeline.ts";
import { readCleanBody } from "../ingest/read-body.ts";
import { cleanBody } from "../ingest/testing.ts";
import { stringifyKeepingNumbers } from "../lib/json-numbers.ts";
import { IS_LONG, SEED } from "../lib/testing.ts";
import { createSentReader, type SentItem } from "./read-sent.ts";

const ORIGIN = { projectId: "p", receivedAtMs: Date.UTC(2026, 2, 10, 12) };
const enrich = createEnrich();
const readSent = createSentReader();

/** What becomes of an event, and its text if it is parked. */
function outcomeOf({ event, hasOthers, context, properties, raw }: SentItem) {
  assert.ok(event !== undefined);
  const outcome = enrich({ origin: ORIGIN, spareId: "spare", raw: event, hasOthers, context, properties });
  if (outcome.kind === "keep")
    for (const name of ["context", "properties"] as const) outcome.row[name] = outcome.row[name].toString();
  return { outcome, text: raw ?? stringifyKeepingNumbers(event) };
}

describe("the events of a clean body, of which only what steps read is built", () => {
  test("become the same rows as parsed ones, and have the same text", () => {
    let asSent = 0;
    fc.assert(
      fc.property(cleanBody, (body) => {
        const sent = readSent(body);
        asSent += sent.filter(({ context }) => context !== undefined).length;
        assert.deepEqual(sent.map(outcomeOf), readCleanBody(body).map(outcomeOf));
      }),
      { seed: SEED, numRuns: IS_LONG ? 10_000 : 400 },
    );
    assert.ok(asSent > 50, `${asSent} events were stored as sent`);
  });

  test("keep the spelling of what a double cannot hold", () => {
    const body =
      '[{"channel":"web","type":"page","anonymous_id":"a","version":"0","properties":{"wei":1e400,"x":12345678901234567890123}}]';
    const [item] = readSent(Buffer.from(body));
    assert.ok(item !== undefined);
    const { outcome } = outcomeOf(item);
    assert.equal(outcome.kind === "keep" && outcome.row.properties, '{"wei":1e400,"x":12345678901234567890123}');
  });
});
