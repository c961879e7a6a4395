import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newId } from "../../src/lib/ids.ts";
import { expectError } from "../support/envelope.ts";
import { callApi, makeForm, pollItems, sendJson } from "../support/forms.ts";
import { addPerson } from "../support/people.ts";
import { drawnStores } from "../support/stores.ts";
import { useApi } from "../support/use-api.ts";

interface Delivery {
  deliveryId: string;
  webhookId: string;
  targetUrl: string;
  state: string;
  attempts: number;
  settledAt: string | null;
}

/** No worker runs here, so deliveries stay in the state that a test gives them. */
for (const backend of drawnStores(import.meta.filename)) {
  describe(`a submission that is deleted on ${backend}`, () => {
    const suite = useApi(backend);

    async function subscribe(formId: string, path: string): Promise<string> {
      const body = { formId, targetUrl: `http://127.0.0.1:9/${path}`, eventTypes: ["FORM_SUBMISSION"] };
      const answer = await callApi(suite.api, suite.key, "POST", "/api/webhooks", body);
      return ((await answer.json()) as { data: { webhookId: string } }).data.webhookId;
    }
    async function submit(formId: string, name: string): Promise<string> {
      const answer = await sendJson(suite.api, formId, { name });
      return ((await answer.json()) as { data: { submissionId: string } }).data.submissionId;
    }
    async function deliveries(formId: string, id: string): Promise<Delivery[]> {
      const answer = await callApi(suite.api, suite.key, "GET", `/api/forms/${formId}/submissions/${id}/deliveries`);
      assert.equal(answer.status, 200, await answer.clone().text());
      return ((await answer.json()) as { data: { deliveries: Delivery[] } }).data.deliveries;
    }
    /** As if the worker had sent it, and the target had repeated the answers. */
    async function markDelivered(id: string, name: string): Promise<void> {
      await suite.api.store.write(async (tx) => {
        await tx
          .updateTable("deliveries")
          .set({ state: "delivered", attempts: 1, settled_at: 1_700_000_000_000 })
          .where("id", "=", id)
          .execute();
        await tx
          .insertInto("delivery_attempts")
          .values({
            delivery_id: id,
            number: 1,
            started_at: 0,
            duration_ms: 1,
            outcome: "answered",
            status: 200,
            reason: null,
            response: `thanks, ${name}`,
          })
          .execute();
      });
    }
    /** Every text of the tables that could hold an answer. */
    async function storedTexts(): Promise<string> {
      const { read } = suite.api.store;
      const tables = ["submissions", "deliveries", "delivery_attempts", "idempotency", "audit_log"] as const;
      return JSON.stringify(await Promise.all(tables.map((table) => read.selectFrom(table).selectAll().execute())));
    }

    test("is gone from lists, poll and store, with its deliveries, and others stay", async () => {
      const form = await makeForm(suite.api, suite.key);
      await subscribe(form.id, "first");
      const second = await subscribe(form.id, "second");
      const [gone, kept] = [await submit(form.id, "Erase Me"), await submit(form.id, "Keep Me")];
      const before = await deliveries(form.id, gone);
      assert.deepEqual(before.map(({ targetUrl, state }) => `${targetUrl} ${state}`).sort(), [
        "http://127.0.0.1:9/first pending",
        "http://127.0.0.1:9/second pending",
      ]);
      await markDelivered(before.find(({ webhookId }) => webhookId === second)?.deliveryId ?? "", "Erase Me");
      const [sent] = (await deliveries(form.id, gone)).filter(({ webhookId }) => webhookId === second);
      assert.deepEqual([sent?.state, sent?.attempts, sent?.settledAt], ["delivered", 1, "2023-11-14T22:13:20.000Z"]);
      assert.match(await storedTexts(), /Erase Me/);

      const answer = await callApi(suite.api, suite.key, "DELETE", `/api/forms/${form.id}/submissions/${gone}`);
      assert.equal(answer.status, 200, await answer.clone().text());
      assert.deepEqual(await answer.json(), {
        isSuccess: true,
        data: { id: gone, cancelledDeliveries: 1, sentTo: ["http://127.0.0.1:9/second"] },
      });
      assert.doesNotMatch(await storedTexts(), /Erase Me/);
      const polled = await pollItems(suite.api, suite.key, form.id);
      assert.deepEqual(
        polled.map(({ submissionId }) => submissionId),
        [kept],
      );
      const list = await callApi(suite.api, suite.key, "GET", `/api/forms/${form.id}/submissions`);
      assert.equal(((await list.json()) as { total: number }).total, 1);
      for (const [method, rest] of [
        ["GET", ""],
        ["GET", "/deliveries"],
        ["DELETE", ""],
      ] as const) {
        const again = await callApi(suite.api, suite.key, method, `/api/forms/${form.id}/submissions/${gone}${rest}`);
        await expectError(again, "api", 404, "NOT_FOUND");
      }
      assert.equal((await deliveries(form.id, kept)).length, 2);
    });

    test("a submission of the same millisecond keeps its deliveries", async () => {
      const form = await makeForm(suite.api, suite.key);
      await subscribe(form.id, "hook");
      const [one, two] = [await submit(form.id, "One"), await submit(form.id, "Two")];
      await suite.api.store.write(async (tx) => {
        // The columns never change otherwise.
        const at = 1_700_000_000_000 as never;
        await tx.updateTable("submissions").set({ submitted_at: at }).where("form_id", "=", form.id).execute();
        await tx
          .updateTable("deliveries")
          .set({ created_at: at })
          .where("workspace_id", "=", suite.key.workspaceId)
          .execute();
      });
      assert.equal((await deliveries(form.id, one)).length, 1);
      await callApi(suite.api, suite.key, "DELETE", `/api/forms/${form.id}/submissions/${one}`);
      assert.equal((await deliveries(form.id, two)).length, 1);
    });

    test("needs an editor or forms:write, and the audit log says who did it, without the answers", async () => {
      const form = await makeForm(suite.api, suite.key);
      const id = await submit(form.id, "Somebody");
      const path = `/api/forms/${form.id}/submissions/${id}`;
      const viewer = await addPerson(suite.api, suite.key.workspaceId, "viewer");
      await expectError(await viewer.send("DELETE", path), "api", 403, "FORBIDDEN");
      const reader = await suite.api.createKey({ workspaceId: suite.key.workspaceId, scopes: ["forms:read"] });
      await expectError(await callApi(suite.api, reader, "DELETE", path), "api", 403, "FORBIDDEN");
      const editor = await addPerson(suite.api, suite.key.workspaceId, "editor");
      assert.equal((await editor.send("DELETE", path)).status, 200);
      const noted = await suite.api.store.read
        .selectFrom("audit_log")
        .select(["action", "user_id", "details"])
        .where("target", "=", id)
        .execute();
      const details = JSON.stringify({ formId: form.id, cancelledDeliveries: 0, sentTo: 0 });
      assert.deepEqual(
        noted.map((one) => ({ ...one })),
        [{ action: "deleteSubmission", user_id: editor.userId, details }],
      );
      const other = await makeForm(suite.api, suite.key);
      const absent = `/api/forms/${other.id}/submissions/${newId("sub")}`;
      await expectError(await callApi(suite.api, suite.key, "DELETE", absent), "api", 404, "NOT_FOUND");
    });
  });
}
