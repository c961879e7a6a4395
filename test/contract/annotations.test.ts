import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ANNOTATION_LIMITS } from "../../src/contract/annotations.ts";
import { deleteProject } from "../../src/control/tenants.ts";
import { newId } from "../../src/lib/ids.ts";
import { startApi, type TestApi, type TestKey } from "../support/api.ts";
import { expectError } from "../support/envelope.ts";
import { drawnStores } from "../support/stores.ts";

interface Annotation {
  id: string;
  date: string;
  note: string;
}

for (const backend of drawnStores(import.meta.filename)) {
  describe(`annotations in ${backend}`, () => {
    let api: TestApi;
    let key: TestKey;
    let project: string;
    before(async () => {
      api = await startApi(backend);
      key = await api.createKey();
      project = await api.createProject(key.workspaceId, "App");
    });
    after(() => api.stop());

    const call = (method: string, path: string, body?: object, text = key.text) =>
      fetch(`${api.apiUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${text}`, ...(body ? { "content-type": "application/json" } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    const add = async (date: string, note: string) => {
      const answer = await call("POST", "/v0/annotations", { project_id: project, date, note });
      assert.equal(answer.status, 201);
      return (await answer.json()) as Annotation;
    };
    const list = async (query = "") => {
      const { data } = (await (await call("GET", `/v0/annotations?${query}`)).json()) as { data: Annotation[] };
      return data.map(({ date, note }) => `${date} ${note}`);
    };

    test("are listed by day, within the dates, until they are deleted", async () => {
      await add("2026-03-05", "Second");
      const first = await add("2026-03-01", "First");
      assert.deepEqual(await list(`project_id=${project}`), ["2026-03-01 First", "2026-03-05 Second"]);
      assert.deepEqual(await list("date_from=2026-03-02&date_to=2026-03-05"), ["2026-03-05 Second"]);
      assert.equal((await call("DELETE", `/v0/annotations/${first.id}`)).status, 200);
      assert.deepEqual(await list(), ["2026-03-05 Second"]);
      await expectError(await call("DELETE", `/v0/annotations/${first.id}`), "plain", 404, "NOT_FOUND");
    });

    test("a wrong date, an empty note and a key without the scope are refused", async () => {
      const body = { project_id: project, date: "2026-02-30", note: "" };
      await expectError(await call("POST", "/v0/annotations", body), "plain", 400, "INVALID_VALIDATION_REQUEST");
      const nul = { ...body, date: "2026-02-28", note: "a\u0000b" };
      await expectError(await call("POST", "/v0/annotations", nul), "plain", 400, "INVALID_VALIDATION_REQUEST");
      const reader = await api.createKey({ workspaceId: key.workspaceId, scopes: ["boards:read"] });
      const right = { ...body, date: "2026-02-28", note: "Launch" };
      await expectError(await call("POST", "/v0/annotations", right, reader.text), "plain", 403, "FORBIDDEN");
    });

    test("a key of one project neither sees nor deletes those of another", async () => {
      const { id } = await add("2026-03-09", "Not theirs");
      const other = await api.createProject(key.workspaceId, "Other");
      const bound = await api.createKey({ workspaceId: key.workspaceId, projectId: other });
      const seen = await (await call("GET", "/v0/annotations", undefined, bound.text)).text();
      assert.ok(!seen.includes(id));
      await expectError(
        await call("DELETE", `/v0/annotations/${id}`, undefined, bound.text),
        "plain",
        404,
        "NOT_FOUND",
      );
    });

    test(`a project has at most ${ANNOTATION_LIMITS.perProject}, and a deleted project has none`, async () => {
      const full = await api.createProject(key.workspaceId, "Full");
      const rows = Array.from({ length: ANNOTATION_LIMITS.perProject }, () => ({
        id: newId("ann"),
        workspace_id: key.workspaceId,
        project_id: full,
        day: "2026-03-01",
        note: "n",
        created_at: 0,
      }));
      await api.store.write(async (tx) => {
        for (let at = 0; at < rows.length; at += 500)
          await tx
            .insertInto("annotations")
            .values(rows.slice(at, at + 500))
            .execute();
      });
      const body = { project_id: full, date: "2026-03-01", note: "One more" };
      await expectError(await call("POST", "/v0/annotations", body), "plain", 409, "CONFLICT");
      await api.store.write((tx) => deleteProject(tx, key.workspaceId, full, Date.now()));
      const left = await api.store.read.selectFrom("annotations").select("id").where("project_id", "=", full).execute();
      assert.deepEqual(left, []);
    });
  });
}
