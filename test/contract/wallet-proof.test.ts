import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { describe, test } from "node:test";
import { createChallenges } from "../../src/accounts/challenges.ts";
import { makeWalletMessage } from "../../src/accounts/siwe.ts";
import type { FormView } from "../../src/contract/forms.ts";
import { startApi, TEST_SECRET } from "../support/api.ts";
import { expectError } from "../support/envelope.ts";
import { callApi, makeForm, pageToken, pollItems, postPage, sendJson } from "../support/forms.ts";
import { drawnStores } from "../support/stores.ts";
import { useApi } from "../support/use-api.ts";
import { makeWallet, type SoftWallet } from "../support/wallet.ts";

interface Begun {
  challengeToken: string;
  message: string;
}

const AIRDROP = {
  title: "Airdrop",
  fields: [
    { label: "Email", type: "email" },
    { label: "Wallet", type: "wallet", required: true, proof: "signature" },
  ],
};

for (const backend of drawnStores(import.meta.filename)) {
  describe(`a wallet field that must be signed on ${backend}`, () => {
    const suite = useApi(backend);

    const begin = (formId: string, body: object) =>
      fetch(`${suite.api.apiUrl}/f/${formId}/wallet`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    async function prove(form: FormView, wallet: SoftWallet, sign = wallet.sign) {
      const answer = await begin(form.id, { address: wallet.address, chainId: 8453 });
      assert.equal(answer.status, 200, await answer.clone().text());
      const { challengeToken, message } = ((await answer.json()) as { data: Begun }).data;
      return { message, proof: { challengeToken, signature: sign(message) } };
    }
    const wallets = async (form: FormView) =>
      (await pollItems(suite.api, suite.key, form.id)).map((item) => item.wallet);
    async function expectRefused(answer: Response, words: RegExp): Promise<void> {
      assert.match(await answer.clone().text(), words);
      await expectError(answer, "api", 400, "INVALID_VALIDATION_REQUEST");
    }

    test("the signed address is the answer, whatever the answer says; the message names form, nonce and expiry", async () => {
      const form = await makeForm(suite.api, suite.key, AIRDROP);
      assert.equal(form.fields[1]?.proof, "signature");
      const wallet = makeWallet();
      const { message, proof } = await prove(form, wallet);
      const { host } = new URL(suite.api.apiUrl);
      assert.ok(message.startsWith(`${host} wants you to sign in with your Ethereum account:\n`));
      assert.ok(message.includes(`\nURI: ${form.url}\n`), message);
      assert.match(message, /\nNonce: \w{8,}\n/);
      assert.match(message, /\nExpiration Time: 20/);
      const answer = await sendJson(suite.api, form.id, { wallet: { ...proof, address: makeWallet().address } });
      assert.equal(answer.status, 201, await answer.clone().text());
      assert.deepEqual(await wallets(form), [wallet.address.toLowerCase()]);
    });

    test("a typed address, another's signature, another form's, an old one and a used one are refused", async () => {
      const form = await makeForm(suite.api, suite.key, AIRDROP);
      const [wallet, thief] = [makeWallet(), makeWallet()];
      const typed = await sendJson(suite.api, form.id, { wallet: wallet.address });
      await expectRefused(typed, /"body.wallet":"must be an object with the challengeToken and signature/);
      const object = await sendJson(suite.api, form.id, { wallet: { address: wallet.address } });
      await expectRefused(object, /must be an object with the challengeToken/);
      await expectRefused(await sendJson(suite.api, form.id, {}), /"body.wallet":"is required/);

      const stolen = await prove(form, wallet, thief.sign);
      await expectRefused(
        await sendJson(suite.api, form.id, { wallet: stolen.proof }),
        /is not the wallet's signature/,
      );
      const changed = await prove(form, wallet, (message) => wallet.sign(message.replace(form.id, "frm_other")));
      await expectRefused(
        await sendJson(suite.api, form.id, { wallet: changed.proof }),
        /is not the wallet's signature/,
      );

      const other = await makeForm(suite.api, suite.key, AIRDROP);
      const foreign = await prove(other, wallet);
      await expectRefused(
        await sendJson(suite.api, form.id, { wallet: foreign.proof }),
        /is not the wallet's signature/,
      );

      const hourAgo = Date.now() - 61 * 60_000;
      const origin = new URL(form.url).origin;
      const asked = { formId: form.id, origin, uri: form.url, chainId: 1, address: wallet.address };
      const times = { issuedAtMs: hourAgo, expiresAtMs: hourAgo + 60 * 60_000 };
      const message = await makeWalletMessage(origin, asked, times, { uri: form.url, statement: "Old." });
      const token = (lifeMs: number) =>
        createChallenges(TEST_SECRET).make("form wallet", { ...asked, message }, hourAgo, lifeMs);
      for (const lifeMs of [60 * 60_000, 24 * 60 * 60_000]) {
        const old = { challengeToken: token(lifeMs), signature: wallet.sign(message) };
        await expectRefused(await sendJson(suite.api, form.id, { wallet: old }), /came too late/);
      }
      assert.deepEqual(await wallets(form), []);

      const { proof } = await prove(form, wallet);
      const both = await Promise.all([1, 2].map(() => sendJson(suite.api, form.id, { wallet: proof })));
      assert.deepEqual(
        both.map(({ status }) => String(status)).sort(),
        ["201", "400"],
        "one signature, one submission",
      );
      await expectRefused(await sendJson(suite.api, form.id, { wallet: proof }), /was used for another submission/);
      assert.deepEqual(await wallets(form), [wallet.address.toLowerCase()]);
    });

    test("the page keeps a signature while other answers are corrected, and its second Send is no second use", async () => {
      const form = await makeForm(suite.api, suite.key, AIRDROP);
      const wallet = makeWallet();
      const { proof } = await prove(form, wallet);
      const value = JSON.stringify({ address: wallet.address, ...proof });
      const token = pageToken(form.id);
      const wrong = await postPage(suite.api, form.id, { email: "ada at", wallet: value, _token: token });
      assert.equal(wrong.status, 400);
      const page = await wrong.text();
      assert.ok(page.includes(`value="${wallet.address}"`) && page.includes(proof.challengeToken));
      assert.doesNotMatch(page, /id="field-wallet-error"/);
      const entries = { email: "ada@example.com", wallet: value, _token: token };
      for (let sent = 0; sent < 2; sent += 1)
        assert.equal((await postPage(suite.api, form.id, entries)).status, 303, "the same page is one submission");
      const again = await postPage(suite.api, form.id, { ...entries, _token: pageToken(form.id) });
      assert.equal(again.status, 400);
      assert.match(await again.text(), /This signature was used already/);
      const typed = await postPage(suite.api, form.id, { wallet: wallet.address, _token: pageToken(form.id) });
      assert.match(await typed.text(), /a typed address is no proof/);
      assert.deepEqual(await wallets(form), [wallet.address.toLowerCase()]);
    });

    test("only its page may run a script, by its hash; without JavaScript it says what it needs", async () => {
      const form = await makeForm(suite.api, suite.key, AIRDROP);
      for (let time = 0; time < 2; time += 1) {
        const answer = await fetch(form.url);
        const policy = answer.headers.get("content-security-policy") ?? "";
        assert.match(policy, /default-src 'none'.*; script-src 'sha256-[^' ]+'; connect-src 'self'$/);
        assert.match(await answer.text(), /This question needs JavaScript and a wallet/);
      }
      const plain = await fetch((await makeForm(suite.api, suite.key)).url);
      assert.doesNotMatch(plain.headers.get("content-security-policy") ?? "", /script-src|connect-src/);
      assert.doesNotMatch(await plain.text(), /<script/);
    });

    test("a form without such a field, an unknown form and a wrong wallet begin nothing; proof is for wallets", async () => {
      const plain = await makeForm(suite.api, suite.key);
      const right = { address: makeWallet().address, chainId: 1 };
      for (const id of [plain.id, "frm_unknown"]) assert.equal((await begin(id, right)).status, 404);
      const form = await makeForm(suite.api, suite.key, AIRDROP);
      for (const body of [{}, { ...right, address: "0x12" }, { ...right, chainId: 1.5 }, []])
        assert.equal((await begin(form.id, body)).status, 400);
      const wrong = { title: "T", fields: [{ label: "Name", type: "short_text", proof: "signature" }] };
      await expectRefused(await callApi(suite.api, suite.key, "POST", "/api/forms", wrong), /fields.0.proof/);
    });
  });
}

test("a contract wallet proves itself as the contract says, and strangers cannot have it asked without end", async (t) => {
  const contract = makeWallet();
  let asked = 0;
  const rpc = createServer((request, response) => {
    void json(request).then((body) => {
      const { method, params } = body as { method: string; params: [{ to: string; data: string }] };
      if (method === "eth_call") asked += 1;
      const isRight = method === "eth_call" && params[0].data.includes("c0ffee");
      const said = isRight ? `0x1626ba7e${"0".repeat(56)}` : `0x${"f".repeat(64)}`;
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: method === "eth_chainId" ? "0x2105" : said }));
    });
  });
  await new Promise<void>((done) => rpc.listen(0, "127.0.0.1", done));
  const walletRpcUrl = `http://127.0.0.1:${(rpc.address() as AddressInfo).port}`;
  const api = await startApi("sqlite", { walletRpcUrl, formAddressPerMinute: 10_000 }, []);
  t.after(async () => {
    rpc.close();
    await api.stop();
  });
  const key = await api.createKey();
  const form = await makeForm(api, key, AIRDROP);
  const begun = await fetch(`${form.url}/wallet`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ address: contract.address, chainId: 8453 }),
  });
  const { challengeToken } = ((await begun.json()) as { data: Begun }).data;
  const send = async (signature: string) =>
    (await sendJson(api, form.id, { wallet: { challengeToken, signature } })).status;
  const startedAt = performance.now();
  assert.equal(await send("0xdead"), 400);
  assert.equal(await send("0xc0ffee"), 201);
  assert.deepEqual(
    (await pollItems(api, key, form.id)).map((item) => item.wallet),
    [contract.address],
  );
  for (let time = 0; time < 200; time += 1) await send("0xdead");
  // 120 a minute: that many at once, and one more each half second.
  const most = 120 + Math.ceil((performance.now() - startedAt) / 500);
  assert.ok(asked <= most, `asked ${asked} times, not at most ${most}`);
});
