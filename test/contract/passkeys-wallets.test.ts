import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { startApi, type TestApi } from "../support/api.ts";
import { makePasskey, type SoftPasskey } from "../support/authenticator.ts";
import { addPerson, newPerson, type TestPerson } from "../support/people.ts";
import { drawnStores } from "../support/stores.ts";
import { makeWallet, type SoftWallet } from "../support/wallet.ts";

interface Begun {
  challengeToken: string;
  options: { challenge: string };
  message: string;
}

for (const backend of drawnStores(import.meta.filename)) {
  describe(`passkeys on ${backend}`, () => {
    let api: TestApi;
    let ada: TestPerson & { userId: string };
    let passkey: SoftPasskey;
    let origin: string;
    const from = (headers: Record<string, string> = {}) => ({ origin, ...headers });
    before(async () => {
      api = await startApi(backend, {}, []);
      ada = await addPerson(api, (await api.createKey()).workspaceId, "owner", "Ada");
      passkey = makePasskey(Buffer.from(ada.userId).toString("base64url"));
      origin = `http://localhost:${new URL(api.apiUrl).port}`;
    });
    after(() => api.stop());

    async function begin(person: TestPerson, path: string): Promise<Begun> {
      const answer = await person.send("POST", `${path}/begin`, {}, from());
      assert.equal(answer.status, 200);
      return ((await answer.json()) as { data: Begun }).data;
    }

    async function signIn(changes: Parameters<SoftPasskey["authenticate"]>[2] = {}, as = passkey, page = origin) {
      const person = newPerson(api.apiUrl);
      const { challengeToken, options } = await begin(person, "/api/sign-in/passkey");
      const body = { challengeToken, response: as.authenticate(page, options, changes) };
      const answer = await person.send("POST", "/api/sign-in/passkey/finish", body, from());
      return { person, body, status: answer.status };
    }

    test("a passkey is added by its user once, and by nobody else", async () => {
      const { challengeToken, options } = await begin(ada, "/api/account/passkeys");
      const body = { challengeToken, name: "Laptop", response: passkey.register(origin, options) };
      const other = await addPerson(api, (await api.createKey()).workspaceId, "viewer");
      assert.equal((await other.send("POST", "/api/account/passkeys/finish", body, from())).status, 400);
      const phished = { ...body, response: makePasskey().register("https://evil.example", options) };
      assert.equal((await ada.send("POST", "/api/account/passkeys/finish", phished, from())).status, 400);
      assert.equal((await ada.send("POST", "/api/account/passkeys/finish", body, from())).status, 201);
      assert.equal((await ada.send("POST", "/api/account/passkeys/finish", body, from())).status, 400, "used");
      const [listed] = await ada.get<{ name: string }[]>("GET", "/api/account/passkeys");
      assert.equal(listed?.name, "Laptop");
    });

    test("it signs in without a name, and a replayed answer does not", async () => {
      const { person, body, status } = await signIn();
      assert.equal(status, 200);
      const account = await person.get<{ user: { name: string }; session: { method: string } }>("GET", "/api/account");
      assert.equal(account.user.name, "Ada");
      assert.equal(account.session.method, "passkey");
      const replayed = await newPerson(api.apiUrl).send("POST", "/api/sign-in/passkey/finish", body, from());
      assert.equal(replayed.status, 401);
    });

    test("an unknown passkey, another page, no verification of the person and a copied passkey are refused", async () => {
      assert.equal((await signIn({}, makePasskey())).status, 401);
      assert.equal((await signIn({}, passkey, "https://evil.example")).status, 401);
      assert.equal((await signIn({ verified: false })).status, 401);
      assert.equal((await signIn({ counter: 1 })).status, 401, "its counter was higher already");
      assert.equal((await signIn({ counter: 100 })).status, 200);
    });

    test("a removed passkey no longer signs in", async () => {
      const [listed] = await ada.get<{ id: string }[]>("GET", "/api/account/passkeys");
      assert.equal((await ada.send("DELETE", `/api/account/passkeys/${listed?.id}`)).status, 200);
      assert.equal((await signIn()).status, 401);
    });
  });

  describe(`wallets on ${backend}`, () => {
    let api: TestApi;
    let ada: TestPerson & { userId: string };
    const wallet = makeWallet();
    before(async () => {
      api = await startApi(backend, {}, []);
      ada = await addPerson(api, (await api.createKey()).workspaceId, "owner", "Ada");
    });
    after(() => api.stop());

    async function add(person: TestPerson, as: SoftWallet, sign = as.sign) {
      const begun = await person.get<Begun>("POST", "/api/account/wallets/begin", { address: as.address, chainId: 1 });
      const body = { challengeToken: begun.challengeToken, signature: sign(begun.message) };
      return { body, answer: await person.send("POST", "/api/account/wallets/finish", body) };
    }

    async function signIn(as: SoftWallet, sign = as.sign, chainId = 8453) {
      const person = newPerson(api.apiUrl);
      const begun = await person.get<Begun>("POST", "/api/sign-in/wallet/begin", { address: as.address, chainId });
      const body = { challengeToken: begun.challengeToken, signature: sign(begun.message) };
      return { person, body, begun, answer: await person.send("POST", "/api/sign-in/wallet/finish", body) };
    }

    test("a wallet is added by a signature for this page, once, to one account", async () => {
      const { body, answer } = await add(ada, wallet);
      assert.equal(answer.status, 201);
      assert.equal((await ada.send("POST", "/api/account/wallets/finish", body)).status, 400, "used");
      assert.equal((await add(ada, wallet)).answer.status, 409);
      const other = await addPerson(api, (await api.createKey()).workspaceId, "viewer");
      assert.equal((await add(other, wallet)).answer.status, 409);
      assert.equal((await add(other, makeWallet(), wallet.sign)).answer.status, 400, "somebody else's signature");
      const [listed] = await ada.get<{ address: string; chainId: number | null }[]>("GET", "/api/account/wallets");
      assert.equal(listed?.address, wallet.address);
      assert.equal(listed.chainId, null);
    });

    test("it signs in on any chain; a replayed answer, another message and an unknown wallet do not", async () => {
      const { person, body, begun, answer } = await signIn(wallet);
      assert.equal(answer.status, 200);
      const { host } = new URL(api.apiUrl);
      assert.ok(begun.message.startsWith(`${host} wants you to sign in with your Ethereum account:\n`));
      assert.match(begun.message, /\nChain ID: 8453\n/);
      const account = await person.get<{ user: { name: string }; session: { method: string } }>("GET", "/api/account");
      assert.equal(account.session.method, "wallet");
      const again = await newPerson(api.apiUrl).send("POST", "/api/sign-in/wallet/finish", body);
      assert.equal(again.status, 401);
      assert.equal((await signIn(makeWallet())).answer.status, 401);
      for (const change of [
        (text: string) => text.replace(host, "evil.example"),
        (text: string) => text.replace(/Nonce: \w+/, "Nonce: aaaaaaaaaaaaaaaaa"),
        (text: string) => text.replace("Chain ID: 8453", "Chain ID: 1"),
      ])
        assert.equal((await signIn(wallet, (message) => wallet.sign(change(message)))).answer.status, 401);
    });

    test("a challenge for one purpose is none for another", async () => {
      const begun = await ada.get<Begun>("POST", "/api/account/wallets/begin", { address: wallet.address, chainId: 1 });
      const body = { challengeToken: begun.challengeToken, signature: wallet.sign(begun.message) };
      assert.equal((await newPerson(api.apiUrl).send("POST", "/api/sign-in/wallet/finish", body)).status, 401);
    });

    test("a removed wallet no longer signs in", async () => {
      const [listed] = await ada.get<{ id: string }[]>("GET", "/api/account/wallets");
      assert.equal((await ada.send("DELETE", `/api/account/wallets/${listed?.id}`)).status, 200);
      assert.equal((await signIn(wallet)).answer.status, 401);
    });
  });
}

test("a contract wallet signs in on the chain of the RPC URL alone, as the contract says", async (t) => {
  const contract = makeWallet();
  const asked: string[] = [];
  const answer = async (request: IncomingMessage): Promise<string> => {
    const { method, params } = (await json(request)) as { method: string; params: [{ to: string; data: string }] };
    if (method === "eth_chainId") return "0x2105";
    const [{ to, data }] = params;
    asked.push(data);
    const isRight = data.includes("c0ffee") && to.toLowerCase() === contract.address;
    return isRight ? `0x1626ba7e${"0".repeat(56)}` : `0x${"f".repeat(64)}`;
  };
  const rpc = createServer((request, response) => {
    void answer(request).then((result) => response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result })));
  });
  await new Promise<void>((done) => rpc.listen(0, "127.0.0.1", done));
  const walletRpcUrl = `http://127.0.0.1:${(rpc.address() as AddressInfo).port}`;
  const api = await startApi("sqlite", { walletRpcUrl }, []);
  t.after(async () => {
    rpc.close();
    await api.stop();
  });
  const ada = await addPerson(api, (await api.createKey()).workspaceId, "owner");
  const finish = async (person: TestPerson, path: string, chainId: number, signature: string) => {
    const begun = await person.get<Begun>("POST", `${path}/begin`, { address: contract.address, chainId });
    return (await person.send("POST", `${path}/finish`, { challengeToken: begun.challengeToken, signature })).status;
  };
  assert.equal(await finish(ada, "/api/account/wallets", 8453, "0xdead"), 400);
  assert.equal(await finish(ada, "/api/account/wallets", 1, "0xc0ffee"), 400, "another chain");
  assert.equal(await finish(ada, "/api/account/wallets", 8453, "0xc0ffee"), 201);
  assert.match(asked.at(-1) ?? "", /^0x1626ba7e[0-9a-f]{64}0{62}400{63}3c0ffee0{58}$/);
  assert.equal(await finish(newPerson(api.apiUrl), "/api/sign-in/wallet", 8453, "0xc0ffee"), 200);
  assert.equal(await finish(newPerson(api.apiUrl), "/api/sign-in/wallet", 10, "0xc0ffee"), 401);
});
