import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createApiKey } from "../../src/control/keys.ts";
import { startApi, TEST_SECRET, type TestApi } from "../support/api.ts";
import { expectError } from "../support/envelope.ts";

describe("POST /api/validate-api-key", () => {
  let api: TestApi;
  before(async () => {
    api = await startApi("sqlite");
  });
  after(() => api.stop());
  const post = (init: RequestInit) => fetch(`${api.apiUrl}/api/validate-api-key`, { method: "POST", ...init });

  describe("200", () => {
    test("shows workspace, visible projects and the key, under the names that old and new clients use", async () => {
      const { workspaceId, text, id } = await api.createKey({ scopes: ["query:read", "forms:write"] });
      const projectId = await api.createProject(workspaceId, "App");
      const body = (await (await post({ headers: { "x-api-key": text } })).json()) as {
        data: { workspace: { createdAt: string }; key: { createdAt: string } };
      };
      const { createdAt } = body.data.workspace;
      const keyAt = body.data.key.createdAt;
      const scopes = ["query:read", "forms:write"];
      assert.deepEqual(body, {
        isSuccess: true,
        validated: true,
        details: "Test workspace",
        teamId: workspaceId,
        scopes: { project_id: null, list: scopes },
        data: {
          validated: true,
          workspace: { id: workspaceId, name: "Test workspace", createdAt },
          projects: [{ id: projectId, name: "App" }],
          key: {
            id,
            name: "test",
            prefix: text.slice(0, 10),
            scopes,
            projectId: null,
            createdAt: keyAt,
            expiresAt: null,
          },
        },
      });
      assert.equal(new Date(createdAt).toISOString(), createdAt);
    });

    test("a key bound to a project shows only that project", async () => {
      const { workspaceId } = await api.createKey();
      const mine = await api.createProject(workspaceId, "Mine");
      await api.createProject(workspaceId, "Other");
      const bound = await api.createKey({ workspaceId, projectId: mine });
      const body = (await (await post({ headers: { "x-api-key": bound.text } })).json()) as {
        scopes: { project_id: string };
        data: { projects: object[] };
      };
      assert.equal(body.scopes.project_id, mine);
      assert.deepEqual(body.data.projects, [{ id: mine, name: "Mine" }]);
    });

    test("a key that is only in the body is enough", async () => {
      const { text } = await api.createKey();
      const headers = { "content-type": "application/json" };
      assert.equal((await post({ headers, body: JSON.stringify({ apiKey: text }) })).status, 200);
    });

    test("an imported key works unchanged", async () => {
      const { workspaceId } = await api.createKey();
      const text = "formo_live_0123456789abcdefghij";
      const key = { text, name: "imported", projectId: null, scopes: ["query:read"] as const, expiresAtMs: null };
      await api.store.write((tx) => createApiKey(tx, workspaceId, TEST_SECRET, key, Date.now()));
      assert.equal((await post({ headers: { "x-api-key": text } })).status, 200);
    });
  });

  describe("400", () => {
    test("another key's Idempotency-Key does not tell about that key", async () => {
      const first = await api.createKey();
      const second = await api.createKey({ workspaceId: first.workspaceId, scopes: ["query:read"] });
      const ask = (text: string) => post({ headers: { "x-api-key": text, "idempotency-key": "who am I" } });
      const [told, again] = [await ask(first.text), await ask(first.text)];
      assert.equal(again.headers.get("idempotency-replayed"), "true");
      assert.equal(await again.text(), await told.text());
      await expectError(await ask(second.text), "api", 400, "INVALID_IDEMPOTENCY_KEY");
    });
  });

  describe("401", () => {
    test("a wrong or malformed key in the body is refused", async () => {
      const { text } = await api.createKey();
      const headers = { "content-type": "application/json" };
      const refused = await post({ headers, body: JSON.stringify({ apiKey: `${text}x` }) });
      await expectError(refused, "api", 401, "UNAUTHORIZED");
      await expectError(await post({ headers, body: JSON.stringify({ apiKey: 7 }) }), "api", 401, "UNAUTHORIZED");
      await expectError(await post({ headers, body: "null" }), "api", 401, "UNAUTHORIZED");
    });
  });

  test("no log line and no table holds a key", async () => {
    const { text } = await api.createKey();
    await post({ headers: { "x-api-key": text } });
    await post({ headers: { "content-type": "application/json" }, body: JSON.stringify({ apiKey: text }) });
    await post({ headers: { authorization: `Bearer ${text}x` } });
    const dump = JSON.stringify([
      await api.store.read.selectFrom("api_keys").selectAll().execute(),
      await api.store.read.selectFrom("idempotency").selectAll().execute(),
    ]);
    const lines = api.logs.filter((line) => !line.includes("Server listening"));
    assert.ok(lines.length > 0);
    for (const place of [dump, lines.join("")]) {
      assert.ok(!place.includes(text.slice(10)));
      assert.doesNotMatch(place, /127\.0\.0\.1/);
    }
  });
});
