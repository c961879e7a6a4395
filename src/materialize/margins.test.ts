import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { INEQUALITIES } from "./margins.ts";

describe("the margins of materialization and retention", () => {
  for (const [smaller, larger, why] of INEQUALITIES) {
    test(`${smaller} ms is at most ${larger} ms: ${why}`, () => assert.ok(smaller <= larger));
  }
});
