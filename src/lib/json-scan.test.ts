import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createJsonScan } from "./json-scan.ts";
import { SEED } from "./testing.ts";

const scan = createJsonScan(new Map(), 10);

function isClear(number: string): boolean {
  scan.open(Buffer.from(`{"value":${number}}`));
  return scan.next() === "object" && scan.next() === "end";
}

/** As JSON.stringify writes it, or a whole number that a double holds. */
function isPlain(number: string): boolean {
  try {
    return JSON.stringify(JSON.parse(number)) === number;
  } catch {
    return false;
  }
}

describe("a number is clear exactly if JSON.stringify writes it so", () => {
  const edges = ["0", "-0", "0.5", "00.5", "1.", ".5", "-.5", "1.50", "0.0", "0.000001", "0.0000001", "1e-7", "1.5e3"];
  const more = [
    "1.5.5",
    "1.5-",
    "-",
    "--1",
    "1e21",
    "123456789012345.1",
    "12345678901234.1",
    "999999999.999999",
    "1e400",
  ];
  for (const number of [...edges, ...more]) test(number, () => assert.equal(isClear(number), isPlain(number)));

  test("digits, points and signs in any order", () => {
    const digits = fc.string({ unit: fc.constantFrom(..."0123456789".split("")), maxLength: 16 });
    const number = fc.tuple(fc.constantFrom("", "-"), digits, fc.constantFrom("", ".", "."), digits);
    const text = number.map((parts) => parts.join("")).filter((one) => one !== "");
    fc.assert(
      fc.property(text, (one) => assert.equal(isClear(one), isPlain(one), one)),
      { seed: SEED, numRuns: 5_000 },
    );
  });
});
