import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SEED } from "../lib/testing.ts";
import { decodeRequest, encodeRequest, sizeOf } from "./logged-request.ts";

const text = fc.oneof(fc.constantFrom("", "p1", 'quote " and \\ and \n', "ü"), fc.string());
const request = fc.record(
  {
    bodyBytes: fc.nat(),
    projectId: text,
    workspaceId: text,
    receivedAtMs: fc.oneof(fc.nat(), fc.constantFrom(1_770_000_000_000, 1_770_000_000_000.5)),
    rules: fc.constantFrom("raw" as const, "tracked" as const),
    lines: fc.boolean(),
    idBase: text,
    repeatable: fc.constant(true as const),
    country: text,
    clean: fc.constant(true as const),
    refused: fc.record({ why: text, count: fc.nat() }, { noNullPrototype: true }),
  },
  { requiredKeys: ["projectId", "workspaceId", "receivedAtMs", "rules", "lines", "idBase"], noNullPrototype: true },
);

test("a request is read from the log as it was written, with the bytes of its body", () => {
  fc.assert(
    fc.property(request, fc.uint8Array(), (written, body) => {
      const payload = Buffer.concat(encodeRequest(written, body));
      const read = decodeRequest(payload);
      assert.deepEqual(read.request, written);
      assert.ok(read.body.equals(body));
      assert.equal(sizeOf(payload), payload.length + (written.bodyBytes ?? 0));
    }),
    { seed: SEED, numRuns: 500 },
  );
});
