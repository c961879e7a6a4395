import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { createEns } from "../../src/providers/ens.ts";
import { createJsonRpc } from "../../src/providers/json-rpc.ts";
import { namehash } from "../../src/providers/namehash.ts";
import { ProviderFailed } from "../../src/providers/provider.ts";
import { abiString, callKey, type FakeRpc, REGISTRY, startFakeRpc, word } from "../support/fake-rpc.ts";

const WALLET = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045";
const RESOLVER = "0x00000000000000000000000000000000000000aa";
const OTHER = "0x00000000000000000000000000000000000000bb";
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const REVERSE = hex(namehash(`${WALLET.slice(2)}.addr.reverse`));
const nodeOf = (name: string) => hex(namehash(name));
const NOTHING = { ens: null, avatar: null };
const { signal } = new AbortController();

describe("names of ENS", () => {
  let rpc: FakeRpc;
  before(async () => {
    rpc = await startFakeRpc();
  });
  after(() => rpc.close());
  beforeEach(() => {
    rpc.calls.clear();
    rpc.seen.length = 0;
    rpc.hostile = undefined;
    rpc.chainId = "0x1";
  });

  const POLICY = { allowNetworks: [], allowLoopback: true };
  const open = (more: object = {}) =>
    createEns(createJsonRpc({ url: rpc.url, policy: POLICY, perSecond: 10_000, timeoutMs: 30_000, ...more }));

  /** The wallet says that it is `name`, and the name leads to `owner`. */
  function tell(name: string, owner: string, avatar?: string): void {
    const address = `0x${word(RESOLVER)}`;
    rpc.calls.set(callKey(REGISTRY, "resolver", REVERSE), address);
    rpc.calls.set(callKey(RESOLVER, "name", REVERSE), abiString(name));
    rpc.calls.set(callKey(REGISTRY, "resolver", nodeOf(name)), address);
    rpc.calls.set(callKey(RESOLVER, "addr", nodeOf(name)), `0x${word(owner)}`);
    if (avatar !== undefined) rpc.calls.set(callKey(RESOLVER, "text", nodeOf(name)), abiString(avatar));
  }

  test("the hash of a name is that of EIP-137", () => {
    assert.equal(nodeOf("eth"), "93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae");
    assert.equal(nodeOf("foo.eth"), "de9b09fd7c5f901e23a3f19fecc54828e9c848539801e86591bd9801b019f84f");
  });

  test("a name that leads back to the wallet is its name, with its picture", async () => {
    tell("vitalik.eth", WALLET, "https://pictures.example/v.png");
    assert.deepEqual(await open().find(WALLET, signal), {
      ens: "vitalik.eth",
      avatar: "https://pictures.example/v.png",
    });
    assert.equal(rpc.seen.length, 6, "the chain once, and five calls");
  });

  test("a name that leads to another wallet, or nowhere, is nobody's", async () => {
    tell("vitalik.eth", OTHER, "https://pictures.example/v.png");
    assert.deepEqual(await open().find(WALLET, signal), NOTHING);
    rpc.calls.delete(callKey(REGISTRY, "resolver", nodeOf("vitalik.eth")));
    assert.deepEqual(await open().find(WALLET, signal), NOTHING);
    rpc.calls.clear();
    assert.deepEqual(await open().find(WALLET, signal), NOTHING, "no reverse record");
  });

  test("a name that is not its own normal form is left out, and not even looked up", async () => {
    for (const name of [
      "Vitalik.eth",
      "vitаlik.eth",
      "vitalik",
      "a b.eth",
      "xn--vitlik-3fg.eth",
      "",
      "a..eth",
      "x".repeat(300),
    ]) {
      rpc.seen.length = 0;
      tell(name, WALLET);
      assert.deepEqual(await open().find(WALLET, signal), NOTHING, name);
      assert.equal(rpc.seen.length, 3, "the chain, the resolver and the name");
    }
  });

  test("only an address of a picture on the web is a picture", async () => {
    for (const [text, expected] of [
      ["ipfs://bafy/1.png", "ipfs://bafy/1.png"],
      ["http://plain.example/1.png", null],
      ["https://user:word@pictures.example/1.png", null],
      ["javascript:alert(1)", null],
      ["data:image/svg+xml,<svg/>", null],
      ["eip155:1/erc721:0x1/1", null],
      ["https://pictures.example/\n1.png", null],
      [`https://pictures.example/${"x".repeat(2_100)}`, null],
    ] as const) {
      tell("a.eth", WALLET, text);
      assert.deepEqual(await open().find(WALLET, signal), { ens: "a.eth", avatar: expected }, text);
    }
  });

  test("a contract that reverts, also to point elsewhere, has no name; nothing else is asked", async () => {
    tell("a.eth", WALLET);
    for (const error of [
      '{"code":3,"message":"execution reverted","data":"0x556f1830"}',
      '{"code":-32000,"message":"VM Exception: reverted"}',
    ]) {
      rpc.calls.set(callKey(RESOLVER, "name", REVERSE), error);
      assert.deepEqual(await open().find(WALLET, signal), NOTHING);
    }
    assert.ok(rpc.seen.every(({ method }) => method === "eth_call" || method === "eth_chainId"));
  });

  test("a resolver may answer any bytes: none of them is a name", async () => {
    tell("a.eth", WALLET);
    for (const bytes of [
      "0x",
      "0x00",
      `0x${word("20")}`,
      `0x${word("20")}${"f".repeat(64)}`,
      `0x${"f".repeat(64)}${word("3")}`,
      `0x${word("20")}${word("3")}${"ff".repeat(3).padEnd(64, "0")}`,
    ]) {
      rpc.calls.set(callKey(RESOLVER, "name", REVERSE), bytes);
      assert.deepEqual(await open().find(WALLET, signal), NOTHING, bytes);
    }
  });

  test("an endpoint that fails is a failure without its address or key, never a name and never nothing", async () => {
    tell("a.eth", WALLET);
    const big = JSON.stringify({ jsonrpc: "2.0", id: 1, result: `0x${"0".repeat(200_000)}` });
    const cases: readonly (readonly [string, NonNullable<FakeRpc["hostile"]>, RegExp])[] = [
      ["busy", (r) => r.writeHead(429).end("slow down"), /answered 429/],
      ["a page", (r) => r.end("<html>"), /something else than JSON/],
      ["a list", (r) => r.end("[]"), /something else than JSON-RPC/],
      ["a number", (r) => r.end('{"result":5}'), /something else than bytes/],
      ["odd digits", (r) => r.end('{"result":"0x123"}'), /something else than bytes/],
      ["too much", (r) => r.end(big), /too much of it/],
      ["an error", (r) => r.end('{"error":{"code":-32005,"message":"limit"}}'), /refused the call \(-32005\)/],
      ["cut", (r) => r.destroy(), /cannot be reached/],
      ["redirected", (r) => r.writeHead(302, { location: "http://127.0.0.1:1/" }).end(), /answered 302/],
    ];
    for (const [name, hostile, expected] of cases) {
      rpc.hostile = hostile;
      await assert.rejects(open().find(WALLET, signal), (cause: Error) => {
        assert.ok(cause instanceof ProviderFailed, name);
        assert.match(cause.message, expected, name);
        assert.doesNotMatch(`${cause.message} ${cause.stack} ${String(cause.cause)}`, /secret-key|127\.0\.0\.1/, name);
        return true;
      });
    }
  });

  test("an endpoint that never ends its answer is given up", async () => {
    tell("a.eth", WALLET);
    rpc.hostile = (response) => void response.write('{"result":"0x');
    await assert.rejects(open({ timeoutMs: 200 }).find(WALLET, signal), /took too long/);
  });

  test("an endpoint of another chain is a failure, and is asked again", async () => {
    tell("a.eth", WALLET);
    rpc.chainId = "0x2105";
    const ens = open();
    await assert.rejects(ens.find(WALLET, signal), /of another chain/);
    rpc.chainId = "0x1";
    assert.equal((await ens.find(WALLET, signal)).ens, "a.eth");
  });

  test("an endpoint in a private network is refused unless the operator allows it", async () => {
    tell("a.eth", WALLET);
    const closed = { allowNetworks: [], allowLoopback: false };
    await assert.rejects(open({ policy: closed }).find(WALLET, signal), /SEXTANT_RPC_ALLOW_NETWORKS/);
    assert.equal(rpc.seen.length, 0, "nothing was sent");
    const allowed = { allowNetworks: ["127.0.0.0/8"], allowLoopback: false };
    assert.equal((await open({ policy: allowed }).find(WALLET, signal)).ens, "a.eth");
  });

  test("a user name and password of the URL are sent as such", async () => {
    tell("a.eth", WALLET);
    await open({ url: rpc.url.replace("//", "//me:p%40ss@") }).find(WALLET, signal);
    assert.equal(rpc.seen[0]?.authorization, `Basic ${Buffer.from("me:p@ss").toString("base64")}`);
  });
});
