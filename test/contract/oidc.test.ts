import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startApi, type TestApi } from "../support/api.ts";
import { CLIENT, startProvider, type TestProvider } from "../support/oidc-provider.ts";
import { addPerson, newPerson, type TestPerson } from "../support/people.ts";
import { drawnStores } from "../support/stores.ts";

for (const backend of drawnStores(import.meta.filename)) {
  describe(`an OpenID Connect provider on ${backend}`, () => {
    let provider: TestProvider;
    let api: TestApi;
    let ada: TestPerson & { userId: string };
    before(async () => {
      provider = await startProvider();
      api = await startApi(backend, { oidc: { ...CLIENT, issuer: provider.issuer } }, []);
      ada = await addPerson(api, (await api.createKey()).workspaceId, "owner", "Ada");
    });
    after(async () => {
      provider.close();
      await api.stop();
    });

    /** Goes to the provider and comes back, as a browser does; each answer's Location. */
    async function leave(intent: string, cookie = "") {
      const answer = await newPerson(api.apiUrl, cookie).send("GET", `/api/sign-in/oidc/start?intent=${intent}`);
      const [kept = ""] = answer.headers.getSetCookie();
      return { status: answer.status, url: answer.headers.get("location") ?? "", kept: kept.split(";", 1)[0] ?? "" };
    }
    async function comeBack(url: string, cookie: string) {
      const person = newPerson(api.apiUrl, cookie);
      const path = url.slice(api.apiUrl.length);
      const answer = await person.send("GET", path, undefined, { "sec-fetch-site": "cross-site" });
      assert.equal(answer.status, 302);
      return { person, to: (answer.headers.get("location") ?? "").slice(api.apiUrl.length) };
    }
    async function goThrough(intent: string, cookie = "") {
      const { url, kept } = await leave(intent, cookie);
      return comeBack(provider.visit(url), kept);
    }

    test("signs nobody in whom no account knows", async () => {
      assert.equal((await goThrough("sign-in")).to, "/sign-in#error=oidc_unknown");
    });

    test("is added to an account by its signed-in user, and signs that user in from then on", async () => {
      assert.equal((await leave("link")).status, 401);
      assert.equal((await goThrough("link", ada.cookie)).to, "/app");
      const { person, to } = await goThrough("sign-in");
      assert.equal(to, "/app");
      const account = await person.get<{ user: { id: string }; session: { method: string } }>("GET", "/api/account");
      assert.equal(account.user.id, ada.userId);
      assert.equal(account.session.method, "oidc");
      const other = await addPerson(api, (await api.createKey()).workspaceId, "viewer");
      assert.equal((await goThrough("link", other.cookie)).to, "/sign-in#error=oidc_taken");
    });

    test("is not believed in another browser, with another state, twice, or with a token for somebody else", async () => {
      const refused = "/sign-in#error=oidc_refused";
      const { url, kept } = await leave("sign-in");
      const back = provider.visit(url);
      assert.equal((await comeBack(back, "")).to, refused, "no cookie");
      assert.equal((await comeBack(back, (await leave("sign-in")).kept)).to, refused, "the cookie of another attempt");
      assert.equal((await comeBack(back.replace(/state=[^&]+/, "state=x"), kept)).to, refused);
      assert.equal((await comeBack(`${api.apiUrl}/api/sign-in/oidc/callback?error=access_denied`, kept)).to, refused);
      assert.equal((await comeBack(back, kept)).to, "/app");
      assert.equal((await comeBack(back, kept)).to, refused, "used");
      for (const changes of [{ aud: "another" }, { iss: "https://evil.example" }, { nonce: "x" }, { exp: 1 }]) {
        provider.changes = changes;
        assert.equal((await goThrough("sign-in")).to, refused, JSON.stringify(changes));
      }
      provider.changes = {};
    });

    test("is removed from the account", async () => {
      const { person } = await goThrough("sign-in");
      assert.equal((await person.send("DELETE", "/api/account/oidc")).status, 200);
      assert.equal((await goThrough("sign-in")).to, "/sign-in#error=oidc_unknown");
    });
  });
}

test("without a provider there is none, and one that does not answer is a 503", async (t) => {
  const without = await startApi("sqlite", {}, []);
  const silent = await startApi("sqlite", { oidc: { ...CLIENT, issuer: "http://127.0.0.1:9" } }, []);
  t.after(async () => {
    await without.stop();
    await silent.stop();
  });
  const start = (api: TestApi) => newPerson(api.apiUrl).send("GET", "/api/sign-in/oidc/start");
  assert.equal((await start(without)).status, 400);
  assert.equal((await start(silent)).status, 503);
});
