import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { findPublicForm } from "../../src/forms/forms.ts";
import { submitAnswers } from "../../src/forms/submit.ts";
import { expectError } from "../support/envelope.ts";
import {
  callApi,
  EVERY_ANSWER,
  EVERY_FIELD,
  makeForm,
  pageToken,
  pollItems,
  postPage,
  sendJson,
} from "../support/forms.ts";
import { drawnStores } from "../support/stores.ts";
import { useApi } from "../support/use-api.ts";

/** What a form's writes put into the outbox; no worker runs here, so everything stays there. */
for (const backend of drawnStores(import.meta.filename)) {
  describe(`events of forms on ${backend}`, () => {
    const suite = useApi(backend);

    async function subscribe(formId: string): Promise<string> {
      const eventTypes = ["FORM_SUBMISSION", "FORM_UPDATED"];
      const body = { formId, targetUrl: "http://127.0.0.1:9/hook", eventTypes };
      const answer = await callApi(suite.api, suite.key, "POST", "/api/webhooks", body);
      assert.equal(answer.status, 201, await answer.clone().text());
      return ((await answer.json()) as { data: { webhookId: string } }).data.webhookId;
    }
    async function payloads(webhookId: string): Promise<Record<string, unknown>[]> {
      const rows = await suite.api.store.read
        .selectFrom("deliveries")
        .select("payload")
        .where("webhook_id", "=", webhookId)
        .orderBy("sequence")
        .execute();
      return rows.map((row) => JSON.parse(row.payload) as Record<string, unknown>);
    }

    test("answers to a form that is deleted during their check are refused and not stored", async () => {
      const { id } = await makeForm(suite.api, suite.key);
      const form = await findPublicForm(suite.api.store.read, id);
      assert.ok(form);
      assert.equal((await callApi(suite.api, suite.key, "DELETE", `/api/forms/${id}`)).status, 200);
      const arrival = { item: { name: "Ada" }, tokenHash: null, spam: null, nowMs: Date.now() };
      const late = suite.api.store.write((tx) => submitAnswers(tx, form, arrival));
      await assert.rejects(late, { code: "NOT_FOUND" });
      const kept = await suite.api.store.read
        .selectFrom("submissions")
        .select("id")
        .where("form_id", "=", id)
        .execute();
      assert.deepEqual(kept, []);
    });

    test("FORM_SUBMISSION has the poll item; invalid answers, repeated pages and spam cause no event", async () => {
      const form = await makeForm(suite.api, suite.key, EVERY_FIELD);
      const webhookId = await subscribe(form.id);
      await sendJson(suite.api, form.id, EVERY_ANSWER);
      await sendJson(suite.api, form.id, {});
      const [item] = await pollItems(suite.api, suite.key, form.id);
      const [payload, ...others] = await payloads(webhookId);
      assert.equal(others.length, 0);
      assert.partialDeepStrictEqual(payload, { ...item, eventType: "FORM_SUBMISSION", webhookId });
      const small = await makeForm(suite.api, suite.key);
      const hook = await subscribe(small.id);
      const sent = { name: "Ada", _token: pageToken(small.id) };
      await Promise.all(Array.from({ length: 5 }, () => postPage(suite.api, small.id, sent)));
      await postPage(suite.api, small.id, { name: "Robot", _homepage: "x", _token: pageToken(small.id) });
      assert.deepEqual(
        (await payloads(hook)).map((one) => one.name),
        ["Ada"],
      );
    });

    test("FORM_UPDATED lists what changed, once per change; an update without a change causes no event", async () => {
      const form = await makeForm(suite.api, suite.key, EVERY_FIELD);
      const webhookId = await subscribe(form.id);
      const put = (body: object) => callApi(suite.api, suite.key, "PUT", `/api/forms/${form.id}`, body);
      assert.equal((await put(form)).status, 200);
      assert.deepEqual(await payloads(webhookId), []);
      const [heading, text, name, ...rest] = form.fields;
      const fields = [
        name && { ...name, label: "Full name" },
        heading,
        ...rest,
        { label: "Phone", type: "short_text" },
      ];
      const answer = await put({ title: "Renamed", description: form.description, fields });
      const { data } = (await answer.json()) as { data: { updatedAt: string; fields: { id: string }[] } };
      const [payload] = await payloads(webhookId);
      assert.partialDeepStrictEqual(payload, {
        formId: form.id,
        formTitle: "Renamed",
        updatedAt: data.updatedAt,
        eventType: "FORM_UPDATED",
        webhookId,
        changes: {
          title: { from: form.title, to: "Renamed" },
          fields: {
            added: [{ id: data.fields.at(-1)?.id, key: "phone", label: "Phone" }],
            removed: [{ id: text?.id, key: null, label: text?.label }],
            changed: [
              { id: name?.id, key: "full_name", label: "Full name", changed: ["key", "label"], previousKey: "name" },
            ],
            reordered: true,
          },
        },
      });
      assert.ok(!("description" in ((payload?.changes as object | undefined) ?? {})));
    });

    test("a submission whose deliveries cannot be written is not stored", async () => {
      const form = await makeForm(suite.api, suite.key);
      const webhookId = await subscribe(form.id);
      await suite.api.store.write((tx) => sql`alter table deliveries rename to deliveries_away`.execute(tx));
      try {
        await expectError(await sendJson(suite.api, form.id, { name: "Ada" }), "api", 500, "INTERNAL_SERVER_ERROR");
        const page = await postPage(suite.api, form.id, { name: "Ada", _token: pageToken(form.id) });
        assert.equal(page.status, 500);
        assert.match(await page.text(), /Your answers were not sent/);
        const put = await callApi(suite.api, suite.key, "PUT", `/api/forms/${form.id}`, {
          title: "New",
          fields: form.fields,
        });
        await expectError(put, "api", 500, "INTERNAL_SERVER_ERROR");
      } finally {
        await suite.api.store.write((tx) => sql`alter table deliveries_away rename to deliveries`.execute(tx));
      }
      assert.deepEqual(await pollItems(suite.api, suite.key, form.id), []);
      await sendJson(suite.api, form.id, { name: "Grace" });
      assert.deepEqual(
        (await payloads(webhookId)).map((one) => [one.name, one.formTitle]),
        [["Grace", form.title]],
      );
    });
  });
}
