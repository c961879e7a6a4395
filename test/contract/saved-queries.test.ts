import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SQL_LIMITS } from "../../src/contract/query.ts";
import { SAVED_QUERY_LIMITS } from "../../src/contract/saved-queries.ts";
import { deleteProject } from "../../src/control/tenants.ts";
import { newId } from "../../src/lib/ids.ts";
import { startApi, type TestApi, type TestKey } from "../support/api.ts";
import { expectError } from "../support/envelope.ts";
import { addPerson, type TestPerson } from "../support/people.ts";
import { drawnStores } from "../support/stores.ts";

interface Saved {
  id: string;
  project_id: string;
  name: string;
  query: string;
  created_by: { id: string; name: string } | null;
  created_at: string;
  updated_at: string;
}

const PATH = "/v0/saved_queries";

for (const backend of drawnStores(import.meta.filename)) {
  describe(`saved queries in ${backend}`, () => {
    let api: TestApi;
    let key: TestKey;
    let project: string;
    let editor: TestPerson & { userId: string };
    before(async () => {
      api = await startApi(backend);
      key = await api.createKey();
      project = await api.createProject(key.workspaceId, "App");
      editor = await addPerson(api, key.workspaceId, "editor", `Grace ${backend}`);
    });
    after(() => api.stop());

    const call = (method: string, path: string, body?: object, text = key.text) =>
      fetch(`${api.apiUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${text}`, ...(body ? { "content-type": "application/json" } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    const save = async (person: TestPerson, name: string, query = "SELECT 1", project_id = project) => {
      const answer = await person.send("POST", PATH, { project_id, name, query });
      assert.equal(answer.status, 201, await answer.clone().text());
      return (await answer.json()) as Saved;
    };
    const list = async (person: TestPerson, id = project) =>
      ((await (await person.send("GET", `${PATH}?project_id=${id}`)).json()) as { data: Saved[] }).data;

    test("what a member saves is there for the whole project, with who saved it and when", async () => {
      const own = await api.createProject(key.workspaceId, "Shared");
      const text = "SELECT 'ä', count()\nFROM events";
      const saved = await save(editor, "  Revenue by day ", text, own);
      await save(editor, "active wallets", "SELECT 2", own);
      assert.deepEqual(saved.created_by, { id: editor.userId, name: `Grace ${backend}` });
      assert.ok(Math.abs(Date.parse(saved.created_at) - Date.now()) < 60_000);
      const viewer = await addPerson(api, key.workspaceId, "viewer");
      const seen = await list(viewer, own);
      assert.deepEqual(
        seen.map(({ name }) => name),
        ["active wallets", "Revenue by day"],
      );
      assert.deepEqual(seen[1], { ...saved, name: "Revenue by day", query: text, project_id: own });
      assert.equal((await list(viewer)).length, 0, "another project has its own");
    });

    test("is renamed, gets another text and is deleted, each noted in the audit log", async () => {
      const { id } = await save(editor, "First");
      const renamed = await editor.send("PATCH", `${PATH}/${id}`, { name: "Second" });
      assert.equal(renamed.status, 200);
      const { name, query, created_by } = (await renamed.json()) as Saved;
      assert.deepEqual([name, query, created_by?.id], ["Second", "SELECT 1", editor.userId]);
      const other = await addPerson(api, key.workspaceId, "editor");
      const replaced = (await (await other.send("PATCH", `${PATH}/${id}`, { query: "SELECT 3" })).json()) as Saved;
      assert.deepEqual([replaced.name, replaced.query, replaced.created_by?.id], ["Second", "SELECT 3", editor.userId]);
      assert.equal((await other.send("DELETE", `${PATH}/${id}`)).status, 200);
      await expectError(await other.send("DELETE", `${PATH}/${id}`), "plain", 404, "NOT_FOUND");
      await expectError(await other.send("PATCH", `${PATH}/${id}`, { name: "Third" }), "plain", 404, "NOT_FOUND");
      const noted = await api.store.read
        .selectFrom("audit_log")
        .select(["action", "details"])
        .where("workspace_id", "=", key.workspaceId)
        .where("target", "=", id)
        .orderBy("at")
        .orderBy("id")
        .execute();
      assert.deepEqual(noted.map((one) => `${one.action} ${one.details}`).sort(), [
        'changeSavedQuery {"name":"Second"}',
        'changeSavedQuery {"name":"Second"}',
        'createSavedQuery {"name":"First"}',
        'deleteSavedQuery {"name":"Second"}',
      ]);
    });

    test("a viewer, a key that may not run SQL and a key that may not write are refused", async () => {
      const { id } = await save(editor, "Kept");
      const body = { project_id: project, name: "Mine", query: "SELECT 1" };
      const viewer = await addPerson(api, key.workspaceId, "viewer");
      await expectError(await viewer.send("POST", PATH, body), "plain", 403, "FORBIDDEN");
      await expectError(await viewer.send("PATCH", `${PATH}/${id}`, { name: "Mine" }), "plain", 403, "FORBIDDEN");
      await expectError(await viewer.send("DELETE", `${PATH}/${id}`), "plain", 403, "FORBIDDEN");
      for (const scopes of [["boards:write"], ["boards:read", "query:read"]] as const) {
        const { text } = await api.createKey({ workspaceId: key.workspaceId, scopes: [...scopes] });
        await expectError(await call("POST", PATH, body, text), "plain", 403, "FORBIDDEN");
        await expectError(await call("DELETE", `${PATH}/${id}`, undefined, text), "plain", 403, "FORBIDDEN");
      }
      const program = (await (await call("POST", PATH, body)).json()) as Saved;
      assert.equal(program.created_by, null, "a key is nobody");
    });

    test("another workspace, and a key of another project, sees and changes none", async () => {
      const { id } = await save(editor, "Not theirs");
      const stranger = await addPerson(api, (await api.createKey()).workspaceId, "owner");
      await expectError(await stranger.send("GET", `${PATH}?project_id=${project}`), "plain", 404, "NOT_FOUND");
      const body = { project_id: project, name: "n", query: "SELECT 1" };
      await expectError(await stranger.send("POST", PATH, body), "plain", 404, "NOT_FOUND");
      const other = await api.createProject(key.workspaceId, "Other");
      const { text } = await api.createKey({ workspaceId: key.workspaceId, projectId: other });
      for (const ask of [
        (method: string, change?: object) => stranger.send(method, `${PATH}/${id}`, change),
        (method: string, change?: object) => call(method, `${PATH}/${id}`, change, text),
      ]) {
        await expectError(await ask("PATCH", { name: "Taken" }), "plain", 404, "NOT_FOUND");
        await expectError(await ask("DELETE"), "plain", 404, "NOT_FOUND");
      }
      assert.deepEqual(await (await call("GET", PATH, undefined, text)).json(), { data: [] });
      assert.ok((await list(editor)).some((one) => one.id === id && one.name === "Not theirs"));
    });

    test("a name of spaces, a long name, a long text and a change of nothing are refused", async () => {
      const right = { project_id: project, name: "n", query: "SELECT 1" };
      const wrong = [
        { ...right, name: "  " },
        { ...right, name: "n".repeat(SAVED_QUERY_LIMITS.nameChars + 1) },
        { ...right, name: "a\u0000b" },
        { ...right, query: "" },
        { ...right, query: "SELECT '\u0000'" },
        { ...right, query: "q".repeat(SQL_LIMITS.chars + 1) },
        { name: "n", query: "SELECT 1" },
      ];
      for (const body of wrong)
        await expectError(await call("POST", PATH, body), "plain", 400, "INVALID_VALIDATION_REQUEST");
      const { id } = await save(editor, "Unchanged");
      for (const nothing of [{}, undefined])
        await expectError(await call("PATCH", `${PATH}/${id}`, nothing), "plain", 400, "INVALID_VALIDATION_REQUEST");
      await expectError(await call("GET", PATH), "plain", 400, "BAD_REQUEST");
    });

    test(`a project has at most ${SAVED_QUERY_LIMITS.perProject}, and a deleted project has none`, async () => {
      const full = await api.createProject(key.workspaceId, "Full");
      const rows = Array.from({ length: SAVED_QUERY_LIMITS.perProject }, () => ({
        id: newId("sqy"),
        workspace_id: key.workspaceId,
        project_id: full,
        name: "n",
        query: "SELECT 1",
        created_by: null,
        created_at: 0,
        updated_at: 0,
      }));
      await api.store.write((tx) => tx.insertInto("saved_queries").values(rows).execute());
      const body = { project_id: full, name: "One more", query: "SELECT 1" };
      await expectError(await call("POST", PATH, body), "plain", 409, "CONFLICT");
      await api.store.write((tx) => deleteProject(tx, key.workspaceId, full, Date.now()));
      const left = await api.store.read
        .selectFrom("saved_queries")
        .select("id")
        .where("project_id", "=", full)
        .execute();
      assert.deepEqual(left, []);
    });
  });
}
