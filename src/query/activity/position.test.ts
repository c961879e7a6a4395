import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findPosition, formatPosition } from "./position.ts";

describe("the position of an event", () => {
  for (const position of [
    { ms: 0, key: 0n },
    { ms: 1_772_323_200_001, key: 18_446_744_073_709_551_615n },
  ])
    test(`${formatPosition(position)} is read as it was written`, () => {
      assert.deepEqual(findPosition(formatPosition(position)), position);
    });

  const wrong = [
    "",
    "-",
    "1",
    "1-",
    "-1",
    "a-1",
    "1-a",
    "1--1",
    "1-1-1",
    " 1-1",
    "1-1 ",
    "1.5-1",
    "1-18446744073709551616",
  ];
  for (const text of [...wrong, "1234567890123456-1", "1-123456789012345678901", "0x1-1", "１-1"])
    test(`${JSON.stringify(text)} is no position`, () => {
      assert.equal(findPosition(text), undefined);
    });
});
