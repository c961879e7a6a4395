import assert from "node:assert/strict";
import { test } from "node:test";
import { hashMessage, recoverAddress, toChecksum } from "./ethereum.ts";

test("an address is spelled as EIP-55 has it", () => {
  for (const address of [
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "0xde709f2102306220921060314715629080e2fb77",
  ])
    assert.equal(toChecksum(address.toLowerCase()), address);
  assert.throws(() => toChecksum("0x12"));
});

test("a message is hashed and its signer found as other libraries do", () => {
  // From the documentation of web3.js: the hash of this message, and its signature by a published key.
  assert.equal(hashMessage("Some data"), "0x1da44b586eb0729ff70a73c326926f6ed5a25f5b056e7f47fbc6e58d86871655");
  const signature =
    "0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd" +
    "6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c";
  assert.equal(recoverAddress("Some data", signature), "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23");
  for (const wrong of ["0x", "0x12", signature.slice(0, -2), `${signature.slice(0, -2)}05`, "nonsense"])
    assert.throws(() => recoverAddress("Some data", wrong));
});
