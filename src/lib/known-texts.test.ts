import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { KnownTexts } from "./known-texts.ts";
import { SEED } from "./testing.ts";

/** Looks for a text that lies between others. */
function createReader() {
  const known = new KnownTexts();
  return (text: string) => {
    const bytes = Buffer.from(`..${text}...`);
    const end = bytes.length - 3;
    const found = known.find(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 2, end);
    return { found, text: found ?? known.put(bytes.toString("utf8", 2, end)) };
  };
}

describe("texts by their bytes", () => {
  test("a text is never taken for another, of whatever length", () => {
    const read = createReader();
    // Few letters and a common beginning: many of them share a place.
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom("a", "b", "ü"), maxLength: 12 }),
      fc.tuple(fc.integer({ min: 0, max: 300 }), fc.nat(3)).map(([length, nth]) => `${"x".repeat(length)}${nth}xxxx`),
    );
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        for (const one of texts) assert.equal(read(one).text, one);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  test("a text that came before is found, and a long one is read each time", () => {
    const read = createReader();
    for (const text of ["0", "web", "page", "Europe/Berlin", "ü".repeat(128)]) {
      assert.equal(read(text).found, undefined);
      assert.equal(read(text).found, text);
    }
    const long = "x".repeat(257);
    read(long);
    assert.equal(read(long).found, undefined);
    assert.equal(read("").found, "");
  });
});
