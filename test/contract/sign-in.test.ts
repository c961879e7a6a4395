import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setupToken } from "../../src/accounts/setup.ts";
import { createUser, setDisabled } from "../../src/accounts/users.ts";
import { startApi, TEST_SECRET, type TestApi } from "../support/api.ts";
import { createControl } from "../support/control.ts";
import { newPerson, PASSWORD, setUp, type TestPerson } from "../support/people.ts";
import { drawnStores } from "../support/stores.ts";
import { waitFor } from "../support/wait.ts";

interface Account {
  user: { id: string; name: string; hasPassword: boolean };
  session: { id: string; method: string };
  workspaces: { id: string; role: string; scopes: string[]; can: Record<string, boolean> }[];
}

for (const backend of drawnStores(import.meta.filename)) {
  describe(`the first account on ${backend}`, () => {
    let api: TestApi;
    before(async () => {
      api = await startApi(backend, {}, []);
    });
    after(() => api.stop());
    const body = (token: string) => ({ token, name: "Ada", password: PASSWORD });

    test("is made with the printed token only, once, by one of many concurrent requests, and owns the workspaces", async () => {
      const key = await api.createKey();
      const stranger = newPerson(api.apiUrl);
      assert.equal((await stranger.get<{ setupOpen: boolean }>("GET", "/api/sign-in")).setupOpen, true);
      assert.equal((await stranger.send("POST", "/api/setup", body("wrong"))).status, 404);
      const token = setupToken(TEST_SECRET);
      const answers = await Promise.all(
        [1, 2, 3, 4].map(() => newPerson(api.apiUrl).send("POST", "/api/setup", body(token))),
      );
      assert.deepEqual(
        answers.map(({ status }) => status).sort((a, b) => a - b),
        [201, 404, 404, 404],
      );
      const made = answers.find(({ status }) => status === 201);
      assert.ok(made);
      const { data } = (await made.json()) as { data: Account };
      assert.equal(data.user.name, "Ada");
      assert.deepEqual(
        data.workspaces.map(({ id, role }) => ({ id, role })),
        [{ id: key.workspaceId, role: "owner" }],
      );
      const replayed = await stranger.send("POST", "/api/setup", body(token));
      assert.equal(replayed.status, 404);
      assert.equal((await stranger.get<{ setupOpen: boolean }>("GET", "/api/sign-in")).setupOpen, false);
    });
  });

  describe(`signing in with a password on ${backend}`, () => {
    let api: TestApi;
    let ada: TestPerson & { workspaceId: string };
    before(async () => {
      api = await startApi(backend, {}, []);
      ada = await setUp(api);
    });
    after(() => api.stop());

    test("gives a session whose cookie scripts cannot read, and whose text is not stored", async () => {
      const person = newPerson(api.apiUrl);
      const answer = await person.send("POST", "/api/sign-in/password", { name: " aDA ", password: PASSWORD });
      assert.equal(answer.status, 200);
      const [cookie = ""] = answer.headers.getSetCookie();
      assert.match(cookie, /^sextant=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
      const stored = JSON.stringify(await api.store.read.selectFrom("sessions").selectAll().execute());
      assert.ok(!stored.includes(person.cookie.slice("sextant=".length)));
      assert.ok(!stored.includes("127.0.0.1"));
      const account = await person.get<Account>("GET", "/api/account");
      assert.equal(account.session.method, "password");
      assert.equal(account.workspaces[0]?.can.manageMembers, true);
    });

    test("never adopts the id that a browser brings, and ends the session that it had", async () => {
      const fixed = `sextant=${"A".repeat(43)}`;
      const person = newPerson(api.apiUrl, fixed);
      await person.send("POST", "/api/sign-in/password", { name: "Ada", password: PASSWORD });
      assert.notEqual(person.cookie, fixed);
      assert.equal((await newPerson(api.apiUrl, fixed).send("GET", "/api/account")).status, 401);
      const before = person.cookie;
      await person.send("POST", "/api/sign-in/password", { name: "Ada", password: PASSWORD });
      assert.notEqual(person.cookie, before);
      await waitFor("the old session to end", async () => {
        return (await newPerson(api.apiUrl, before).send("GET", "/api/account")).status === 401;
      });
    });

    test("answers alike for a wrong password, an unknown name and a disabled user", async () => {
      const stored = await api.store.read.selectFrom("users").select("password_hash").executeTakeFirstOrThrow();
      await api.store.write(async (tx) => {
        const user = await createUser(tx, { name: "Disabled", passwordHash: stored.password_hash }, Date.now());
        await setDisabled(tx, user?.id ?? "", Date.now());
        await createUser(tx, { name: "By wallet only", passwordHash: null }, Date.now());
      });
      const texts = new Set<string>();
      for (const [name, password] of [
        ["Ada", "wrong password"],
        ["Nobody", PASSWORD],
        ["Disabled", PASSWORD],
        ["By wallet only", PASSWORD],
        ["a\u0000b", PASSWORD],
      ]) {
        const answer = await newPerson(api.apiUrl).send("POST", "/api/sign-in/password", { name, password });
        assert.equal(answer.status, 401, name);
        texts.add(await answer.text());
      }
      assert.equal(texts.size, 1);
    });

    test("takes a session in the place of a key on the routes of keys, and an API key only where keys belong", async () => {
      const key = await api.createKey({ workspaceId: ada.workspaceId });
      const forms = await ada.send("GET", "/api/forms");
      assert.equal(forms.status, 200);
      assert.ok(forms.headers.has("ratelimit-limit"));
      const made = await ada.send("POST", "/api/forms", {
        title: "A",
        fields: [{ label: "Name", type: "short_text" }],
      });
      assert.equal(made.status, 201);
      const report = await ada.send("GET", "/v0/top_sources");
      assert.equal(report.status, 200);
      const byKey = await fetch(`${api.apiUrl}/api/account`, { headers: { "x-api-key": key.text } });
      assert.equal(byKey.status, 401);
      const wrongKey = await ada.send("GET", "/api/forms", undefined, { "x-api-key": "wrong" });
      assert.equal(wrongKey.status, 401, "a key that is sent counts, whatever the cookie");
      const log = await api.store.read.selectFrom("audit_log").select(["action", "actor", "workspace_id"]).execute();
      assert.ok(log.some((entry) => entry.action === "createForm" && entry.workspace_id === ada.workspaceId));
    });

    test("refuses what another site sends with the cookie", async () => {
      const form = { title: "A", fields: [{ label: "Name", type: "short_text" }] };
      const cases: Record<string, string>[] = [
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
        { origin: "https://evil.example" },
        { origin: "null" },
        { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
      ];
      for (const headers of cases)
        for (const [method, path, body] of [
          ["POST", "/api/forms", form],
          ["GET", "/api/forms", undefined],
          ["GET", "/api/account", undefined],
          ["POST", "/api/sign-out", {}],
          ["POST", "/api/sign-in/password", { name: "Ada", password: PASSWORD }],
        ] as const) {
          const answer = await ada.send(method, path, body, headers);
          assert.equal(answer.status, 403, `${method} ${path} ${JSON.stringify(headers)}`);
        }
      for (const path of ["/api/forms", "/api/sign-out", "/api/sign-in/password"]) {
        for (const type of ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"]) {
          const posted = await fetch(`${api.apiUrl}${path}`, {
            method: "POST",
            headers: { cookie: ada.cookie, "content-type": type },
            body: "name=Ada",
          });
          assert.equal(posted.status, 415, `${path} ${type}`);
        }
      }
      assert.equal((await ada.send("GET", "/api/account", undefined, { "sec-fetch-site": "same-origin" })).status, 200);
      const own = { origin: api.apiUrl, "sec-fetch-site": "same-origin" };
      assert.equal((await ada.send("POST", "/api/forms", form, own)).status, 201);
      const { port } = new URL(api.apiUrl);
      assert.equal((await ada.send("POST", "/api/forms", form, { origin: `http://localhost:${port}` })).status, 201);
    });

    test("lists the user's sessions and ends one or all others; a stranger's session is not there", async () => {
      const [one, two] = [newPerson(api.apiUrl), newPerson(api.apiUrl)];
      for (const person of [one, two])
        await person.send(
          "POST",
          "/api/sign-in/password",
          { name: "Ada", password: PASSWORD },
          { "user-agent": "Lynx" },
        );
      const { session } = await two.get<Account>("GET", "/api/account");
      const list = await one.get<{ id: string; userAgent: string; isCurrent: boolean }[]>(
        "GET",
        "/api/account/sessions",
      );
      assert.equal(list.filter(({ isCurrent }) => isCurrent).length, 1);
      assert.equal(list.find(({ id }) => id === session.id)?.userAgent, "Lynx");
      assert.equal((await one.send("DELETE", `/api/account/sessions/${session.id}`)).status, 200);
      assert.equal((await one.send("DELETE", `/api/account/sessions/${session.id}`)).status, 404);
      assert.equal((await one.send("DELETE", "/api/account/sessions/ses_%00")).status, 404);
      await waitFor("the session to end", async () => (await two.send("GET", "/api/account")).status === 401);
      await one.get("DELETE", "/api/account/sessions");
      assert.equal((await one.get<unknown[]>("GET", "/api/account/sessions")).length, 1);
      ada.cookie = one.cookie;
    });

    test("a change of the password needs the current one and ends the other sessions", async () => {
      const other = newPerson(api.apiUrl);
      await other.send("POST", "/api/sign-in/password", { name: "Ada", password: PASSWORD });
      const change = (currentPassword: string | undefined, newPassword: string) =>
        ada.send("POST", "/api/account/password", { currentPassword, newPassword });
      assert.equal((await change(undefined, "another password")).status, 403);
      assert.equal((await change("wrong", "another password")).status, 403);
      assert.equal((await change(PASSWORD, "short")).status, 400);
      assert.equal((await change(PASSWORD, "aaaaaaaaaaaa")).status, 400);
      const before = ada.cookie;
      assert.equal((await change(PASSWORD, "another password")).status, 200);
      assert.notEqual(ada.cookie, before);
      assert.equal((await ada.send("GET", "/api/account")).status, 200);
      await waitFor("the other session to end", async () => (await other.send("GET", "/api/account")).status === 401);
    });

    test("signing out ends the session and clears the cookie", async () => {
      const before = ada.cookie;
      const answer = await ada.send("POST", "/api/sign-out", {});
      assert.equal(answer.status, 200);
      assert.match(answer.headers.getSetCookie()[0] ?? "", /^sextant=; .*Max-Age=0/);
      await waitFor(
        "the session to end",
        async () => (await newPerson(api.apiUrl, before).send("GET", "/api/account")).status === 401,
      );
    });
  });
}

test("the guesses for one account are limited, also when the last one is right", async (t) => {
  const api = await startApi("sqlite", {}, []);
  t.after(() => api.stop());
  await setUp(api);
  const sign = (password: string) =>
    newPerson(api.apiUrl).send("POST", "/api/sign-in/password", { name: "Ada", password });
  const statuses: number[] = [];
  for (let i = 0; i < 11; i += 1) statuses.push((await sign("wrong password")).status);
  assert.deepEqual(new Set(statuses.slice(0, 10)), new Set([401]));
  assert.equal(statuses[10], 429);
  const right = await sign(PASSWORD);
  assert.equal(right.status, 429);
  assert.ok(Number(right.headers.get("retry-after")) > 0);
});

test("requests to sign in are limited per address", async (t) => {
  const api = await startApi("sqlite", { signInAddressPerMinute: 3 }, []);
  t.after(() => api.stop());
  const person = newPerson(api.apiUrl);
  const statuses: number[] = [];
  for (let i = 0; i < 4; i += 1) statuses.push((await person.send("GET", "/api/sign-in")).status);
  assert.deepEqual(statuses, [200, 200, 200, 429]);
});

test("a session that is ended on one node stops on another within a second", async (t) => {
  const control = await createControl("postgres");
  const here = await startApi(control, {}, []);
  const there = await startApi({ ...control, store: await control.again(), drop: async () => undefined }, {}, []);
  t.after(async () => {
    await there.stop();
    await here.stop();
  });
  const ada = await setUp(here);
  const elsewhere = newPerson(there.apiUrl, ada.cookie);
  assert.equal((await elsewhere.send("GET", "/api/account")).status, 200);
  await ada.send("POST", "/api/sign-out", {});
  await waitFor("it to end there", async () => (await elsewhere.send("GET", "/api/account")).status === 401, 1_000);
});

test("the cookie is bound to the host by https, to the path below a prefix, and refused over plain http", async (t) => {
  const cases = [
    ["https://stats.example", /^__Host-sextant=[\w-]{43}; Path=\/; .*; Secure$/],
    ["https://stats.example/in", /^__Secure-sextant=[\w-]{43}; Path=\/in; .*; Secure$/],
    ["http://stats.example", undefined],
  ] as const;
  for (const [url, cookie] of cases) {
    const api = await startApi("sqlite", { apiUrl: () => url }, []);
    t.after(() => api.stop());
    const person = newPerson(api.apiUrl);
    const body = { token: setupToken(TEST_SECRET), name: "Ada", password: PASSWORD };
    const answer = await person.send("POST", "/api/setup", body, { origin: new URL(url).origin });
    assert.equal(answer.status, cookie === undefined ? 400 : 201, url);
    if (cookie === undefined) continue;
    assert.match(answer.headers.getSetCookie()[0] ?? "", cookie);
    assert.equal((await person.send("GET", "/api/account")).status, 200);
    const local = await person.send("GET", "/api/account", undefined, { origin: api.apiUrl });
    assert.equal(local.status, 403, "only the public URL is our own origin");
  }
});
