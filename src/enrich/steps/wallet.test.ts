import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sampleDraft } from "../testing.ts";
import { chainText, codesText, putWallet } from "./wallet.ts";

const CHAINS: [given: unknown, text: string][] = [
  [1, "1"],
  ["1", "1"],
  ["0x1", "1"],
  ["0X2105", "8453"],
  ["eip155:137", "137"],
  ["007", "7"],
  [900001, "900001"],
  ["solana:mainnet", "solana:mainnet"],
  ["base", "base"],
  ["0x", "0x"],
  [0, ""],
  ["0x0", ""],
  ["", ""],
  [null, ""],
  [undefined, ""],
  [{}, ""],
  [[1], ""],
  [Number.NaN, ""],
  [1.5, "1.5"],
];

const CODES: [given: unknown, text: string][] = [
  ["base", "base"],
  ["base,uni", "base,uni"],
  [" base , uni ,", "base,uni"],
  [["base", "uni"], "base,uni"],
  [[" base", "", null, {}, 7], "base,7"],
  [[], ""],
  ["", ""],
  [null, ""],
  [{ code: "x" }, ""],
];

describe("wallet", () => {
  for (const [given, text] of CHAINS) {
    it(`chain ${JSON.stringify(given)} is ${JSON.stringify(text)}`, () => assert.equal(chainText(given), text));
  }
  for (const [given, text] of CODES) {
    it(`builder codes ${JSON.stringify(given)} are ${JSON.stringify(text)}`, () =>
      assert.equal(codesText(given), text));
  }

  it("reads the properties first, then the context", () => {
    const draft = sampleDraft({
      properties: { rdns: "io.metamask", chain_id: "", builderCodes: ["b"] },
      context: { rdns: "io.other", providerName: "MetaMask", chainId: "0xa" },
    });
    putWallet(draft);
    const { rdns, provider_name, chain_id, builder_codes } = draft.row;
    assert.deepEqual([rdns, provider_name, chain_id, builder_codes], ["io.metamask", "MetaMask", "10", "b"]);
  });

  it("thousands of codes or digits are cut to a maximum length", () => {
    assert.ok(codesText(Array.from({ length: 10_000 }, () => "code".repeat(1000))).length <= 512);
    assert.ok(chainText("9".repeat(100_000)).length <= 128);
  });
});
