import assert from "node:assert/strict";
import { test } from "node:test";
import chains from "../../dashboard/src/format/chains.json" with { type: "json" };
import { CHAIN_NAMES, nameOfChain } from "../../src/schedules/chain-names.ts";

test("a mail names a chain as the dashboard does", () => {
  const known: Readonly<Record<string, string>> = chains;
  for (const [id, name] of Object.entries(CHAIN_NAMES)) assert.equal(name, known[id], id);
  assert.deepEqual(
    [nameOfChain(""), nameOfChain("424242"), nameOfChain("__proto__")],
    ["(none)", "Chain 424242", "Chain __proto__"],
  );
});
