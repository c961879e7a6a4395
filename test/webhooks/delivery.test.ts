import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Registry } from "prom-client";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import type { Static } from "typebox";
import type { DeliveryAnswer, DeliveryListAnswer } from "../../src/contract/webhooks.ts";
import type { Delivery } from "../../src/webhooks/delivery.ts";
import { startApi, type TestApi, type TestKey } from "../support/api.ts";
import { startTestDelivery } from "../support/delivery.ts";
import { callApi, makeForm, pollItems, sendJson } from "../support/forms.ts";
import { drawnStores } from "../support/stores.ts";
import { type Received, startTarget, type Target } from "../support/targets.ts";
import { waitFor } from "../support/wait.ts";

function verify(secret: string, request: Received, body = request.body): unknown {
  const headers = request.headers as Record<string, string>;
  new SvixWebhook(secret).verify(body, headers);
  return new StandardWebhook(secret).verify(body, headers);
}

for (const backend of drawnStores(import.meta.filename)) {
  describe(`deliveries over HTTP on ${backend}`, () => {
    let api: TestApi;
    let key: TestKey;
    let delivery: Delivery;
    let target: Target;
    let status = 200;
    const registry = new Registry();
    before(async () => {
      api = await startApi(backend, {}, []);
      key = await api.createKey();
      delivery = await startTestDelivery(api.store, registry);
      target = await startTarget((response) => response.writeHead(status).end("thank you"));
    });
    after(async () => {
      await delivery.stop();
      await target.close();
      await api.stop();
    });

    async function subscribe(path: string, eventTypes: string[], formId: string) {
      const wanted = { formId, targetUrl: `${target.url}${path}`, eventTypes };
      const made = await callApi(api, key, "POST", "/api/webhooks", wanted);
      return ((await made.json()) as { data: { webhookId: string; secret: string } }).data;
    }
    const receivedAt = (path: string) => target.received.filter((request) => request.path === path);

    test("a submission arrives as the poll item with its envelope, and verifies with two libraries", async () => {
      const form = await makeForm(api, key);
      const { webhookId, secret } = await subscribe("/submission", ["FORM_SUBMISSION"], form.id);
      for (let i = 0; i < 20; i += 1) assert.equal((await sendJson(api, form.id, { name: `Ada ${i} ✓` })).status, 201);
      delivery.wake();
      await waitFor("twenty deliveries", () => receivedAt("/submission").length === 20);
      const bodies = receivedAt("/submission").map((request) => verify(secret, request) as Record<string, unknown>);
      const bySequence = bodies.toSorted((a, b) => Number(b.sequence) - Number(a.sequence));
      const items = await pollItems(api, key, form.id);
      const envelope = { eventType: "FORM_SUBMISSION", webhookId };
      const sent = new Map(bySequence.map((body) => [body.submissionId, body]));
      for (const item of items) {
        const body = sent.get(item.submissionId);
        assert.deepEqual(body, { ...item, ...envelope, sequence: body?.sequence });
      }
      assert.deepEqual(
        bySequence.map((body) => body.sequence),
        Array.from({ length: 20 }, (_, i) => 20 - i),
      );
      const [request] = receivedAt("/submission");
      assert.ok(request);
      assert.throws(() => verify(secret, request, `${request.body} `));
      assert.throws(() => verify(secret, request, request.body.replace("Ada", "Adb")));
      assert.equal(request.headers["content-type"], "application/json");
    });

    test("a changed form is delivered to its subscribers", async () => {
      const form = await makeForm(api, key);
      const { webhookId, secret } = await subscribe("/updated", ["FORM_UPDATED"], form.id);
      const changed = { title: "Renamed", fields: [{ label: "Name", type: "short_text", required: true }] };
      assert.equal((await callApi(api, key, "PUT", `/api/forms/${form.id}`, changed)).status, 200);
      delivery.wake();
      const request = await waitFor("the delivery", () => receivedAt("/updated")[0]);
      const body = verify(secret, request) as Record<string, unknown>;
      assert.deepEqual(Object.keys(body).sort(), [
        "changes",
        "eventType",
        "formId",
        "formTitle",
        "sequence",
        "updatedAt",
        "webhookId",
      ]);
      assert.partialDeepStrictEqual(body, {
        formId: form.id,
        formTitle: "Renamed",
        eventType: "FORM_UPDATED",
        webhookId,
        sequence: 1,
      });
    });

    test("after a rotation both secrets verify, and after the overlap only the new one", async () => {
      const form = await makeForm(api, key);
      const { webhookId, secret: old } = await subscribe("/rotated", ["FORM_SUBMISSION"], form.id);
      async function rotate(overlapHours: number): Promise<string> {
        const body = { overlapHours };
        const answer = await callApi(api, key, "POST", `/api/webhooks/${webhookId}/rotate-secret`, body);
        return ((await answer.json()) as { data: { secret: string } }).data.secret;
      }
      async function next(): Promise<Received> {
        const seen = receivedAt("/rotated").length;
        assert.equal((await callApi(api, key, "POST", `/api/webhooks/${webhookId}/test`)).status, 202);
        delivery.wake();
        return waitFor("a test event", () => receivedAt("/rotated")[seen]);
      }
      verify(old, await next());
      const second = await rotate(24);
      const both = await next();
      verify(old, both);
      verify(second, both);
      const third = await rotate(0);
      const last = await next();
      verify(third, last);
      assert.throws(() => verify(second, last));
      assert.throws(() => verify(old, last));
    });

    test("every attempt is in the delivery log within a second, with the target's response", async () => {
      const form = await makeForm(api, key);
      const { webhookId } = await subscribe("/logged", ["FORM_SUBMISSION"], form.id);
      status = 503;
      await sendJson(api, form.id, { name: "Ada" });
      delivery.wake();
      await waitFor("the attempt", () => receivedAt("/logged").length === 1);
      status = 200;
      const list = await waitFor(
        "its line",
        async () => {
          const answer = await callApi(api, key, "GET", `/api/webhooks/${webhookId}/deliveries`);
          const found = (await answer.json()) as Static<typeof DeliveryListAnswer>;
          // The list and its attempts are two reads: the attempt may be settled between them.
          const [delivery] = found.data;
          return delivery?.attempts.length === 1 && delivery.state !== "sending" && delivery;
        },
        1_000,
      );
      assert.partialDeepStrictEqual(list, { state: "pending", sequence: 1 });
      assert.partialDeepStrictEqual(list.attempts[0], { number: 1, outcome: "answered", status: 503, reason: null });
      const waitMs = Date.parse(list.nextAttemptAt ?? "") - Date.parse(list.attempts[0]?.startedAt ?? "");
      assert.ok(waitMs >= 5_000 && waitMs < 15_000, `${waitMs}`);
      const path = `/api/webhooks/${webhookId}/deliveries/${list.deliveryId}`;
      const { data } = (await (await callApi(api, key, "GET", path)).json()) as Static<typeof DeliveryAnswer>;
      assert.equal(data.attempts[0]?.response, "thank you");
      assert.equal((await callApi(api, key, "POST", `${path}/redeliver`)).status, 202);
      delivery.wake();
      await waitFor("the redelivery", () => receivedAt("/logged").length === 2);
      const [first, again] = receivedAt("/logged");
      assert.equal(first?.headers["webhook-id"], again?.headers["webhook-id"]);
      assert.equal(first?.body, again?.body);
    });

    test("metrics count deliveries, attempts and the age of the queue", async () => {
      const text = await registry.metrics();
      assert.match(text, /sextant_webhook_deliveries_total\{outcome="delivered"\} \d+/);
      assert.match(text, /sextant_webhook_attempt_seconds_count\{outcome="2xx"\} \d+/);
      assert.match(text, /sextant_webhook_first_attempt_delay_seconds_count \d+/);
      assert.match(text, /sextant_webhook_queue_age_seconds \d/);
    });
  });
}
