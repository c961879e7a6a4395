import assert from "node:assert/strict";
import { test } from "node:test";
import { Recent } from "./recent.ts";

test("what was asked for last is kept, and what was asked for longest ago is made again", () => {
  const made: string[] = [];
  const recent = new Recent<string>(2);
  const get = (key: string) =>
    recent.get(key, () => {
      made.push(key);
      return key.toUpperCase();
    });
  assert.deepEqual(["a", "b", "a", "c", "a", "b"].map(get), ["A", "B", "A", "C", "A", "B"]);
  assert.deepEqual(made, ["a", "b", "c", "b"]);
});

test("what cannot be made is not kept", () => {
  const recent = new Recent<number>(1);
  const fail = () => {
    throw new Error("no");
  };
  assert.throws(() => recent.get("a", fail), /no/);
  assert.equal(
    recent.get("a", () => 1),
    1,
  );
});
