import assert from "node:assert/strict";
import { test } from "node:test";
import { explainRefusal } from "./explain-refusal.ts";

test("a refusal names what was probably meant, and where it stands", () => {
  const table: [string, string, string][] = [
    [
      "There is no table evnts",
      "SELECT 1\nFROM evnts",
      "There is no table evnts (line 2, column 6): did you mean `events`?",
    ],
    [
      "There is no function tohuor",
      "SELECT toHuor(1)",
      "There is no function toHuor (line 1, column 8): did you mean `toHour`?",
    ],
    [
      'Referenced column "adress" not found in FROM clause!',
      "SELECT adress FROM events",
      "There is no column adress (line 1, column 8): did you mean `address`?",
    ],
    ["There is no column xyzzy", "SELECT xyzzy FROM events", "There is no column xyzzy (line 1, column 8)"],
    [
      'The query cannot be parsed: syntax error at or near "FORM"',
      "SELECT type\n  FORM events",
      'The query cannot be parsed: syntax error at or near "FORM" (line 2, column 3)',
    ],
    ["The query took longer than 20 s", "SELECT 1", "The query took longer than 20 s"],
  ];
  for (const [message, sql, expected] of table) assert.equal(explainRefusal(message, sql, true), expected);
});

test("of a text that a program has written, the place is left out", () => {
  assert.equal(
    explainRefusal("There is no table evnts", "SELECT 1 FROM evnts", false),
    "There is no table evnts: did you mean `events`?",
  );
});
