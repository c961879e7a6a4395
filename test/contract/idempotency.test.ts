import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { listProjects } from "../../src/control/tenants.ts";
import { BACKENDS, type BackendName } from "../../src/engines/control.ts";
import { startApi, type TestApi, type TestKey } from "../support/api.ts";
import { expectError } from "../support/envelope.ts";

for (const backend of Object.keys(BACKENDS) as BackendName[]) {
  describe(`Idempotency-Key on ${backend}`, () => {
    let api: TestApi;
    before(async () => {
      api = await startApi(backend);
    });
    after(() => api.stop());
    const post = (key: TestKey, idempotencyKey: string, body = '{"name":"one"}', path = "/api/test-projects") =>
      fetch(api.apiUrl + path, {
        method: "POST",
        headers: { "x-api-key": key.text, "content-type": "application/json", "idempotency-key": idempotencyKey },
        body,
      });
    const effects = async (key: TestKey) => (await listProjects(api.store.read, key.workspaceId)).length;

    describe("201", () => {
      test("a retry gets the first response byte for byte, marked, and has no further effect", async () => {
        const key = await api.createKey();
        const first = await post(key, "a");
        const again = await post(key, "a");
        assert.equal(first.status, 201);
        assert.equal(again.status, 201);
        assert.equal(first.headers.get("idempotency-replayed"), null);
        assert.equal(again.headers.get("idempotency-replayed"), "true");
        assert.equal(again.headers.get("content-type"), first.headers.get("content-type"));
        assert.equal(await again.text(), await first.text());
        assert.equal(await effects(key), 1);
      });

      test("100 parallel requests with one key have one effect; the others get its response or 409", async () => {
        const key = await api.createKey();
        const answers = await Promise.all(Array.from({ length: 100 }, () => post(key, "b")));
        const bodies = new Set<string>();
        for (const answer of answers) {
          if (answer.status === 201) bodies.add(await answer.text());
          else await expectError(answer, "api", 409, "IDEMPOTENCY_IN_PROGRESS");
        }
        assert.equal(bodies.size, 1);
        assert.equal(await effects(key), 1);
        const later = await post(key, "b");
        assert.equal(later.status, 201);
        assert.ok(bodies.has(await later.text()));
      });

      test("a key belongs to the workspace and project of the credential", async () => {
        const key = await api.createKey();
        const projectId = await api.createProject(key.workspaceId, "p");
        const bound = await api.createKey({ workspaceId: key.workspaceId, projectId });
        const other = await api.createKey();
        const ids = await Promise.all([key, bound, other].map(async (one) => (await post(one, "c")).text()));
        assert.equal(new Set(ids).size, 3);
      });
    });

    describe("400", () => {
      test("another body, query or path under the same key is INVALID_IDEMPOTENCY_KEY", async () => {
        const key = await api.createKey();
        await post(key, "d");
        for (const answer of [
          await post(key, "d", '{"name":"two"}'),
          await post(key, "d", '{"name":"one"}', "/api/test-projects?x=1"),
          await post(key, "d", "{}", "/api/validate-api-key"),
        ]) {
          const error = await expectError(answer, "api", 400, "INVALID_IDEMPOTENCY_KEY");
          assert.equal(error.param, "header.idempotency-key");
        }
        assert.equal(await effects(key), 1);
      });

      test("255 characters are accepted; 256 and an empty key are refused", async () => {
        const key = await api.createKey();
        assert.equal((await post(key, "k".repeat(255))).status, 201);
        await expectError(await post(key, "k".repeat(256)), "api", 400, "INVALID_IDEMPOTENCY_KEY");
        await expectError(await post(key, ""), "api", 400, "INVALID_IDEMPOTENCY_KEY");
      });

      test("a refused request releases its key, so the corrected request runs", async () => {
        const key = await api.createKey();
        await expectError(await post(key, "e", '{"name":""}'), "api", 400, "INVALID_VALIDATION_REQUEST");
        assert.equal((await post(key, "e")).status, 201);
        assert.equal(await effects(key), 1);
      });
    });
  });
}
