/** A stolen session does not become permanent, strangers lock nobody out, and admins see what failed. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { createSession } from "../../src/accounts/sessions.ts";
import { setPasswordHash } from "../../src/accounts/users.ts";
import { ACCOUNT_LIMITS } from "../../src/contract/account-limits.ts";
import { startApi, TEST_SECRET, type TestApi } from "../support/api.ts";
import { CLIENT, startProvider, type TestProvider } from "../support/oidc-provider.ts";
import { addPerson, newPerson, PASSWORD, setUp, type TestPerson } from "../support/people.ts";
import { waitFor } from "../support/wait.ts";
import { makeWallet, type SoftWallet } from "../support/wallet.ts";

interface Entry {
  action: string;
  actor: { userId: string; name: string };
  details: Record<string, unknown>;
}

const NEW_PASSWORD = `${PASSWORD} 2`;

describe("accounts under attack", () => {
  let api: TestApi;
  let provider: TestProvider;
  let ada: TestPerson & { workspaceId: string };
  let rpcCalls = 0;
  const rpc = createServer((request, response) => {
    rpcCalls += 1;
    request.resume().on("end", () => response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}'));
  });

  before(async () => {
    provider = await startProvider();
    await once(rpc.listen(0, "127.0.0.1"), "listening");
    const walletRpcUrl = `http://127.0.0.1:${(rpc.address() as AddressInfo).port}`;
    const oidc = { ...CLIENT, issuer: provider.issuer };
    api = await startApi("sqlite", { oidc, walletRpcUrl, trustedProxies: ["127.0.0.1"] }, []);
    ada = await setUp(api);
  });
  after(async () => {
    provider.close();
    rpc.closeAllConnections();
    rpc.close();
    await api.stop();
  });

  const from = (address: string) => ({ "x-forwarded-for": address });
  /** In another browser, some time ago. */
  const signInBefore = async (userId: string, minutes: number) => {
    const session = { userId, method: "password", userAgent: "test" } as const;
    const atMs = Date.now() - minutes * 60_000;
    const { text } = await api.store.write((tx) => createSession(tx, TEST_SECRET, session, atMs));
    return newPerson(api.apiUrl, `sextant=${text}`);
  };
  const readAudit = async (as: TestPerson, workspaceId: string) => {
    const path = "/api/settings/audit-log?page=1&size=100";
    const answer = await as.send("GET", path, undefined, { "x-sextant-workspace": workspaceId });
    return ((await answer.json()) as { data: Entry[] }).data;
  };
  /** A member with a password. */
  async function addWithPassword(name: string, workspaceId = ada.workspaceId) {
    const person = await addPerson(api, workspaceId, "viewer", name);
    const row = await api.store.read
      .selectFrom("users")
      .select("password_hash")
      .where("name", "=", "Ada")
      .executeTakeFirst();
    await api.store.write((tx) => setPasswordHash(tx, person.userId, row?.password_hash ?? ""));
    return person;
  }
  async function addWallet(person: TestPerson, wallet: SoftWallet) {
    const begun = await person.send("POST", "/api/account/wallets/begin", { address: wallet.address, chainId: 1 });
    if (begun.status !== 200) return begun;
    const { challengeToken, message } = ((await begun.json()) as { data: { challengeToken: string; message: string } })
      .data;
    const body = { challengeToken, signature: wallet.sign(message) };
    return person.send("POST", "/api/account/wallets/finish", body);
  }

  test("a link to a provider ends with the session that began it", async () => {
    const owner = await addWithPassword("Grace");
    const left = await newPerson(api.apiUrl, owner.cookie).send("GET", "/api/sign-in/oidc/start?intent=link");
    assert.equal(left.status, 302);
    const [kept = ""] = left.headers.getSetCookie();
    const back = provider.visit(left.headers.get("location") ?? "").slice(api.apiUrl.length);
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    assert.equal((await owner.send("POST", "/api/account/password", change)).status, 200);
    const thief = newPerson(api.apiUrl, kept.split(";", 1)[0]);
    const finished = await thief.send("GET", back, undefined, { "sec-fetch-site": "cross-site" });
    assert.match(finished.headers.get("location") ?? "", /#error=oidc_refused$/);
    assert.equal((await owner.get<{ methods: { oidc: boolean } }>("GET", "/api/account")).methods.oidc, false);
  });

  test("a passkey, a wallet, a provider or a first password needs a sign-in of the last minutes", async () => {
    const { userId } = await addPerson(api, ada.workspaceId, "viewer");
    const person = await signInBefore(userId, ACCOUNT_LIMITS.freshMinutes + 1);
    const wallet = { address: makeWallet().address, chainId: 1 };
    for (const [method, path, body] of [
      ["POST", "/api/account/passkeys/begin", {}],
      ["POST", "/api/account/wallets/begin", wallet],
      ["GET", "/api/sign-in/oidc/start?intent=link", undefined],
      ["POST", "/api/account/password", { newPassword: NEW_PASSWORD }],
    ] as const) {
      const answer = await person.send(method, path, body);
      assert.equal(answer.status, 403, path);
      assert.match(await answer.text(), /Sign in again first/);
    }
    const fresh = await addPerson(api, ada.workspaceId, "viewer");
    assert.equal((await addWallet(fresh, makeWallet())).status, 201);
  });

  test("who changes the password learns which other methods still sign in", async () => {
    const person = await addWithPassword("Edith");
    const wallet = makeWallet();
    assert.equal((await addWallet(person, wallet)).status, 201);
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    type Changed = { otherMethods: { passkeys: unknown[]; wallets: { id: string; address: string }[]; oidc: boolean } };
    const { otherMethods } = await person.get<Changed>("POST", "/api/account/password", change);
    assert.deepEqual(
      [otherMethods.passkeys, otherMethods.wallets.map(({ address }) => address), otherMethods.oidc],
      [[], [wallet.address.toLowerCase()], false],
    );
  });

  test("a provider that signs in ends the session whose cookie came along, and its adding is in the audit log", async () => {
    const person = await addPerson(api, ada.workspaceId, "viewer", "Olga");
    const go = async (intent: string, cookie: string) => {
      const left = await newPerson(api.apiUrl, cookie).send("GET", `/api/sign-in/oidc/start?intent=${intent}`);
      const [kept = ""] = left.headers.getSetCookie();
      const back = provider.visit(left.headers.get("location") ?? "").slice(api.apiUrl.length);
      const browser = newPerson(api.apiUrl, [cookie, kept.split(";", 1)[0]].join("; "));
      await browser.send("GET", back, undefined, { "sec-fetch-site": "cross-site" });
      return browser;
    };
    const linked = await go("link", person.cookie);
    assert.ok(
      (await readAudit(ada, ada.workspaceId)).some(
        ({ action, actor }) => action === "addOidc" && actor.name === "Olga",
      ),
    );
    const again = await go("sign-in", linked.cookie);
    assert.equal((await again.send("GET", "/api/account")).status, 200);
    for (const cookie of [person.cookie, linked.cookie])
      await waitFor("the old session to end", async () => {
        return (await newPerson(api.apiUrl, cookie).send("GET", "/api/account")).status === 401;
      });
  });

  test("strangers from many addresses lock out neither a known browser nor a signed-in user", async () => {
    const victim = await addWithPassword("Victim");
    const browser = newPerson(api.apiUrl);
    const signIn = (person: TestPerson, password: string, address: string) =>
      person.send("POST", "/api/sign-in/password", { name: "Victim", password }, from(address));
    const first = await signIn(browser, PASSWORD, "203.0.113.1");
    const known =
      first.headers
        .getSetCookie()
        .find((one) => one.startsWith("sextant-known="))
        ?.split(";", 1)[0] ?? "";
    assert.notEqual(known, "");
    const seen = new Set<number>();
    for (let i = 0; i < 110; i += 1)
      seen.add((await signIn(newPerson(api.apiUrl), "wrong wrong wrong", `198.51.100.${1 + (i % 11)}`)).status);
    assert.deepEqual(
      [...seen].sort((a, b) => a - b),
      [401, 429],
    );
    assert.equal((await signIn(newPerson(api.apiUrl), PASSWORD, "203.0.113.7")).status, 429, "a stranger's browser");
    assert.equal((await signIn(newPerson(api.apiUrl, known), PASSWORD, "203.0.113.7")).status, 200);
    const forged = known.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    assert.equal((await signIn(newPerson(api.apiUrl, forged), PASSWORD, "203.0.113.8")).status, 429);
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    assert.equal((await victim.send("POST", "/api/account/password", change)).status, 200);
    // The cookie of one account is none for another, and has a limit, too.
    const statuses: number[] = [];
    for (let i = 0; i < 12; i += 1)
      statuses.push((await signIn(newPerson(api.apiUrl, known), "wrong wrong wrong", `192.0.2.${i + 1}`)).status);
    assert.equal(statuses.at(-1), 429);
    for (const action of ["signInFailed", "signInLocked"])
      await waitFor(`${action} in the audit log`, async () =>
        (await readAudit(ada, ada.workspaceId)).some((one) => one.action === action && one.actor.name === "Victim"),
      );
    const notes = (await readAudit(ada, ada.workspaceId)).filter(({ action }) => action === "signInFailed");
    assert.ok(notes.length <= 20, `a flood of guesses writes ${notes.length} entries`);
  });

  test("an admin sees of a member's account only what happened since the member joined, without addresses", async () => {
    const member = await addWithPassword("Mary");
    const wallet = makeWallet();
    assert.equal((await addWallet(member, wallet)).status, 201);
    const own = (await readAudit(ada, ada.workspaceId)).filter(({ actor }) => actor.name === "Mary");
    assert.deepEqual(
      own.map(({ action, details }) => [action, details]),
      [["addWallet", {}]],
    );
    const { workspaceId } = await api.createKey();
    const other = await addPerson(api, workspaceId, "owner");
    const invite = await other.get<{ url: string }>("POST", "/api/settings/invites", { role: "viewer" });
    const accepted = await member.send("POST", "/api/invites/accept", { token: invite.url.split("token=")[1] });
    assert.ok(accepted.ok, await accepted.text());
    const seen = (await readAudit(other, workspaceId)).filter(({ actor }) => actor.name === "Mary");
    assert.deepEqual(
      seen.filter(({ action }) => action === "addWallet"),
      [],
    );
  });

  test("an account has at most 20 wallets, whenever they were begun", async () => {
    const person = await addPerson(api, ada.workspaceId, "viewer");
    const begun = [];
    for (let i = 0; i < ACCOUNT_LIMITS.walletsPerUser + 3; i += 1) {
      const wallet = makeWallet();
      const body = { address: wallet.address, chainId: 1 };
      const { challengeToken, message } = await person.get<{ challengeToken: string; message: string }>(
        "POST",
        "/api/account/wallets/begin",
        body,
      );
      begun.push({ challengeToken, signature: wallet.sign(message) });
    }
    const answers = await Promise.all(begun.map((body) => person.send("POST", "/api/account/wallets/finish", body)));
    const made = answers.filter(({ status }) => status === 201);
    assert.equal(made.length, ACCOUNT_LIMITS.walletsPerUser);
    assert.equal(answers.filter(({ status }) => status === 409).length, 3);
  });

  test("a wallet that nobody added makes no call to the chain", async () => {
    const signIn = async (address: string) => {
      const person = newPerson(api.apiUrl);
      const begun = await person.get<{ challengeToken: string }>("POST", "/api/sign-in/wallet/begin", {
        address,
        chainId: 1,
      });
      const body = { challengeToken: begun.challengeToken, signature: `0x${"11".repeat(65)}` };
      return (await person.send("POST", "/api/sign-in/wallet/finish", body)).status;
    };
    const before = rpcCalls;
    for (let i = 0; i < 3; i += 1) assert.equal(await signIn(makeWallet().address), 401);
    assert.equal(rpcCalls, before);
    const wallet = makeWallet();
    assert.equal((await addWallet(await addPerson(api, ada.workspaceId, "viewer"), wallet)).status, 201);
    assert.equal(await signIn(wallet.address), 401);
    assert.ok(rpcCalls > before);
  });

  test("beginnings with passkeys and wallets are counted across addresses, apart from known browsers", async () => {
    const begin = (i: number, cookie = "") =>
      newPerson(api.apiUrl, cookie).send("POST", "/api/sign-in/passkey/begin", {}, from(`198.51.100.${i % 250}`));
    const statuses = new Set<number>();
    for (let round = 0; round < 40 && !statuses.has(429); round += 1) {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => begin(i)));
      for (const { status } of answers) statuses.add(status);
    }
    assert.deepEqual(
      [...statuses].sort((a, b) => a - b),
      [200, 429],
    );
    const { headers } = await newPerson(api.apiUrl).send(
      "POST",
      "/api/sign-in/password",
      { name: "Ada", password: PASSWORD },
      from("203.0.113.50"),
    );
    const known = headers
      .getSetCookie()
      .find((one) => one.startsWith("sextant-known="))
      ?.split(";", 1)[0];
    assert.equal((await begin(1, known)).status, 200);
  });

  test("the removal of a member lists the keys that the member made and that still work", async () => {
    const admin = await addPerson(api, ada.workspaceId, "admin");
    const make = (name: string) =>
      admin.get<{ id: string }>("POST", "/api/settings/keys", { name, scopes: ["query:read"] });
    const [kept, revoked] = [await make("Kept"), await make("Revoked")];
    assert.equal((await admin.send("DELETE", `/api/settings/keys/${revoked.id}`)).status, 200);
    const { keys } = await ada.get<{ keys: unknown[] }>("DELETE", `/api/settings/members/${admin.userId}`);
    assert.deepEqual(keys, [{ id: kept.id, kind: "api", name: "Kept" }]);
  });

  test("no answer of the API is kept by a browser or taken for another type", async () => {
    const { text } = await api.createKey();
    const bearer = { authorization: `Bearer ${text}` };
    for (const [url, headers] of [
      [`${api.apiUrl}/v0/kpis`, bearer],
      [`${api.apiUrl}/v0/nothing`, {}],
      [`${api.apiUrl}/v0/%zz`, {}],
      [`${api.apiUrl}/api/account`, { cookie: ada.cookie }],
      [`${api.apiUrl}/api/settings/members`, { cookie: ada.cookie }],
      [`${api.apiUrl}/clickhouse?query=SELECT+1`, {}],
      [`${api.eventsUrl}/v0/events`, {}],
    ] as const) {
      const answer = await fetch(url, { headers });
      assert.equal(answer.headers.get("cache-control"), "no-store", url);
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff", url);
    }
  });
});
