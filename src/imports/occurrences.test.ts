import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { createOccurrences } from "./occurrences.ts";

const hashed = (text: string) => createHash("sha256").update(text).digest();

describe("occurrences of rows", () => {
  test("equal rows count up, whatever lies between them and however large the table grows", () => {
    const occurrences = createOccurrences();
    for (let round = 0; round < 3; round += 1)
      for (let row = 0; row < 5_000; row += 1) assert.equal(occurrences.next(hashed(`row ${row}`)), round);
  });

  test("a full table still counts the rows that it knows and says that it does not know others", () => {
    const occurrences = createOccurrences(16);
    for (let row = 0; row < 12; row += 1) assert.equal(occurrences.next(hashed(`row ${row}`)), 0);
    assert.equal(occurrences.next(hashed("one more")), undefined);
    assert.equal(occurrences.next(hashed("row 3")), 1);
  });
});
