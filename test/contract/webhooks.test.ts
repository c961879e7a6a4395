import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Static } from "typebox";
import type {
  DeliveryAnswer,
  DeliveryListAnswer,
  WebhookAnswer,
  WebhookListAnswer,
} from "../../src/contract/webhooks.ts";
import { BACKENDS, type BackendName } from "../../src/engines/control.ts";
import { expectError } from "../support/envelope.ts";
import { callApi, makeForm, sendJson } from "../support/forms.ts";
import { useApi } from "../support/use-api.ts";

type View = Static<typeof WebhookAnswer>["data"];
interface Made {
  isSuccess: boolean;
  data: { webhookId: string; secret?: string };
}

const TARGET = "http://127.0.0.1:9/hook";

for (const backend of Object.keys(BACKENDS) as BackendName[]) {
  describe(`webhook subscriptions on ${backend}`, () => {
    const suite = useApi(backend);
    const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
      callApi(suite.api, suite.key, method, path, body, headers);
    const newForm = async () => (await makeForm(suite.api, suite.key)).id;
    async function post(wanted: object, headers?: Record<string, string>): Promise<{ status: number; body: Made }> {
      const answer = await call("POST", "/api/webhooks", wanted, headers);
      return { status: answer.status, body: (await answer.json()) as Made };
    }
    const subscribe = async (formId: string, targetUrl = TARGET) =>
      (await post({ formId, targetUrl, eventTypes: ["FORM_SUBMISSION"] })).body.data;
    const view = async (webhookId: string) =>
      ((await (await call("GET", `/api/webhooks/${webhookId}`)).json()) as { data: View }).data;
    async function submit(formId: string): Promise<void> {
      assert.equal((await sendJson(suite.api, formId, { name: "Ada" })).status, 201);
    }
    async function deliveries(webhookId: string): Promise<Static<typeof DeliveryListAnswer>> {
      const answer = await call("GET", `/api/webhooks/${webhookId}/deliveries`);
      assert.equal(answer.status, 200);
      return (await answer.json()) as Static<typeof DeliveryListAnswer>;
    }

    describe("200", () => {
      test("events of a disabled webhook are kept as skipped; enabling or subscribing again activates it", async () => {
        const formId = await newForm();
        const { webhookId } = await subscribe(formId);
        const off = await call("PATCH", `/api/webhooks/${webhookId}`, { enabled: false });
        assert.partialDeepStrictEqual(((await off.json()) as { data: View }).data, {
          enabled: false,
          status: "disabled",
          statusReason: "user",
        });
        await submit(formId);
        assert.deepEqual(
          (await deliveries(webhookId)).data.map((delivery) => delivery.state),
          ["skipped"],
        );
        for (const path of ["test", "recover"]) {
          const body = path === "recover" ? { since: "2020-01-01T00:00:00Z" } : undefined;
          await expectError(await call("POST", `/api/webhooks/${webhookId}/${path}`, body), "api", 409, "CONFLICT");
        }
        const on = await call("PATCH", `/api/webhooks/${webhookId}`, { enabled: true });
        assert.partialDeepStrictEqual(((await on.json()) as { data: View }).data, {
          status: "active",
          statusReason: null,
        });
        await call("PATCH", `/api/webhooks/${webhookId}`, { enabled: false });
        assert.deepEqual(await subscribe(formId), { webhookId });
        assert.equal((await view(webhookId)).status, "active");
        const recovered = await call("POST", `/api/webhooks/${webhookId}/recover`, { since: "2020-01-01T00:00:00Z" });
        assert.equal(recovered.status, 202);
        assert.deepEqual(await recovered.json(), { isSuccess: true, data: { recovered: 1, has_more: false } });
        assert.equal((await deliveries(webhookId)).data[0]?.state, "pending");
        await expectError(
          await call("PATCH", `/api/webhooks/${webhookId}`, {}),
          "api",
          400,
          "INVALID_VALIDATION_REQUEST",
        );
      });

      test("the log shows each delivery with its payload, newest first and page by page", async () => {
        const formId = await newForm();
        const { webhookId } = await subscribe(formId);
        for (let i = 0; i < 3; i += 1) await submit(formId);
        const answer = await call("GET", `/api/webhooks/${webhookId}/deliveries?size=2`);
        const list = (await answer.json()) as Static<typeof DeliveryListAnswer>;
        assert.deepEqual(
          { ...list, data: list.data.map((one) => one.sequence) },
          {
            data: [3, 2],
            total: 3,
            page: 1,
            size: 2,
            has_more: true,
          },
        );
        const [newest] = list.data;
        const one = await call("GET", `/api/webhooks/${webhookId}/deliveries/${newest?.deliveryId}`);
        const { data } = (await one.json()) as Static<typeof DeliveryAnswer>;
        assert.partialDeepStrictEqual(data, { state: "pending", eventType: "FORM_SUBMISSION", attempts: [] });
        assert.partialDeepStrictEqual(data.payload as Record<string, unknown>, {
          name: "Ada",
          formId,
          eventType: "FORM_SUBMISSION",
          webhookId,
          sequence: 3,
        });
        for (const path of [
          `/api/webhooks/${webhookId}/deliveries/${newest?.deliveryId}/redeliver`,
          `/api/webhooks/deliveries/${newest?.deliveryId}/redeliver`,
        ]) {
          const again = await call("POST", path);
          assert.equal(again.status, 202);
          assert.deepEqual(await again.json(), { isSuccess: true, data: { deliveryId: newest?.deliveryId } });
        }
      });

      test("no field can make a submission look like a test or a thin payload", async () => {
        const labels = ["test", "thin", "fetch", "isTest", "isThin", "fetchFrom", "Is Test", "__isTest__"];
        const form = await makeForm(suite.api, suite.key, {
          title: "Forged",
          fields: labels.map((label) => ({ label, type: "short_text" })),
        });
        const { webhookId } = await subscribe(form.id);
        const answers = Object.fromEntries(form.fields.map((field) => [field.key ?? "", "true"]));
        assert.equal((await sendJson(suite.api, form.id, answers)).status, 201);
        const [delivery] = (await deliveries(webhookId)).data;
        const one = await call("GET", `/api/webhooks/${webhookId}/deliveries/${delivery?.deliveryId}`);
        const { payload } = ((await one.json()) as Static<typeof DeliveryAnswer>).data;
        const marks = ["isTest", "isThin", "fetchFrom"];
        assert.deepEqual(
          Object.keys(payload as object).filter((name) => marks.includes(name)),
          [],
        );
        const queued = await call("POST", `/api/webhooks/${webhookId}/test`);
        const { deliveryId } = ((await queued.json()) as { data: { deliveryId: string } }).data;
        const tested = await call("GET", `/api/webhooks/${webhookId}/deliveries/${deliveryId}`);
        const sample = ((await tested.json()) as Static<typeof DeliveryAnswer>).data.payload as object;
        const camel = Object.keys(sample).filter((name) => !Object.keys(payload as object).includes(name));
        assert.deepEqual(camel, ["isTest"], "what tells a test apart is no name of a submission");
      });

      test("rotating a secret returns the time until which the previous one also signs", async () => {
        const { webhookId, secret } = await subscribe(await newForm());
        const answer = await call("POST", `/api/webhooks/${webhookId}/rotate-secret`);
        assert.equal(answer.status, 200);
        const { data } = (await answer.json()) as { data: { secret: string; previousSecretValidUntil: string } };
        assert.match(data.secret, /^whsec_/);
        assert.notEqual(data.secret, secret);
        const hours = (Date.parse(data.previousSecretValidUntil) - Date.now()) / 3_600_000;
        assert.ok(hours > 23.9 && hours <= 24);
        assert.equal((await view(webhookId)).previousSecretValidUntil, data.previousSecretValidUntil);
        const at = await call("POST", `/api/webhooks/${webhookId}/rotate-secret`, { overlapHours: 0 });
        assert.equal(at.status, 200);
        assert.equal((await view(webhookId)).previousSecretValidUntil, null);
      });

      test("a webhook deleted by id, query or target is gone, and subscribing again creates a new one", async () => {
        const formId = await newForm();
        const otherForm = await newForm();
        const target = `${TARGET}/unsubscribe?a=1&b=2`;
        const one = await subscribe(formId, target);
        const gone = await call("DELETE", `/api/webhooks/${one.webhookId}`);
        assert.deepEqual(await gone.json(), { isSuccess: true, data: { webhookIds: [one.webhookId] } });
        await expectError(await call("GET", `/api/webhooks/${one.webhookId}`), "api", 404, "NOT_FOUND");
        await expectError(await call("DELETE", `/api/webhooks/${one.webhookId}`), "api", 404, "NOT_FOUND");
        const two = await subscribe(formId, target);
        assert.notEqual(two.webhookId, one.webhookId);
        assert.match(two.secret ?? "", /^whsec_/);
        const byId = await call("DELETE", `/api/webhooks?webhookId=${two.webhookId}`);
        assert.equal(byId.status, 200);
        const both = [await subscribe(formId, target), await subscribe(otherForm, target)];
        const byTarget = await call("DELETE", `/api/webhooks?targetUrl=${encodeURIComponent(target)}`);
        const { data } = (await byTarget.json()) as { data: { webhookIds: string[] } };
        assert.deepEqual(data.webhookIds, both.map((made) => made.webhookId).sort());
        for (const query of ["", "?webhookId=a&targetUrl=b"])
          await expectError(await call("DELETE", `/api/webhooks${query}`), "api", 400, "INVALID_VALIDATION_REQUEST");
      });
    });

    describe("201", () => {
      test("a new webhook shows its secret; a merge is a 200 without it and has the union of types", async () => {
        const formId = await newForm();
        const first = await post({ formId, targetUrl: TARGET, eventTypes: ["FORM_SUBMISSION", "FORM_SUBMISSION"] });
        assert.equal(first.status, 201);
        assert.equal(first.body.isSuccess, true);
        assert.match(first.body.data.secret ?? "", /^whsec_/);
        const second = await post({ formId, targetUrl: TARGET, eventTypes: ["FORM_UPDATED"] });
        assert.deepEqual(second, {
          status: 200,
          body: { isSuccess: true, data: { webhookId: first.body.data.webhookId } },
        });
        const seen = await view(first.body.data.webhookId);
        assert.deepEqual(seen.eventTypes, ["FORM_SUBMISSION", "FORM_UPDATED"]);
        assert.partialDeepStrictEqual(seen, {
          status: "active",
          enabled: true,
          targetUrl: TARGET,
          formId,
          failures: 0,
        });
      });

      test("fifty parallel subscriptions of one target create one webhook with the union of types", async () => {
        const rounds = Number(process.env.TEST_ROUNDS ?? 3);
        for (let round = 0; round < rounds; round += 1) {
          const formId = await newForm();
          const answers = await Promise.all(
            Array.from({ length: 50 }, (_, i) =>
              post({ formId, targetUrl: TARGET, eventTypes: [i % 2 ? "FORM_SUBMISSION" : "FORM_UPDATED"] }),
            ),
          );
          assert.equal(new Set(answers.map(({ body }) => body.data.webhookId)).size, 1);
          assert.equal(answers.filter(({ status }) => status === 201).length, 1);
          assert.equal(
            answers.filter(({ status, body }) => status === 200 && body.data.secret === undefined).length,
            49,
          );
          assert.deepEqual((await view(answers[0]?.body.data.webhookId ?? "")).eventTypes, [
            "FORM_SUBMISSION",
            "FORM_UPDATED",
          ]);
        }
      });

      test("a retry with its Idempotency-Key gets the same secret, which no row or log has in clear text", async () => {
        const formId = await newForm();
        const wanted = { formId, targetUrl: TARGET, eventTypes: ["FORM_UPDATED"] };
        const header = { "idempotency-key": `once-${formId}` };
        const [first, second] = [await post(wanted, header), await post(wanted, header)];
        assert.deepEqual(second, first);
        assert.equal(first.status, 201);
        const secret = first.body.data.secret ?? "";
        const kept = [
          await suite.api.store.read.selectFrom("idempotency").select("body").execute(),
          await suite.api.store.read.selectFrom("webhooks").select(["secret", "previous_secret"]).execute(),
        ];
        assert.ok(secret.length > 30);
        assert.ok(!JSON.stringify(kept).includes(secret.slice(6)));
        assert.ok(!suite.api.logs.some((line) => line.includes(secret.slice(6))));
        assert.ok(!JSON.stringify(await view(first.body.data.webhookId)).includes("whsec_"));
      });
    });

    describe("202", () => {
      test("a test event is queued and marked as a test", async () => {
        const formId = await newForm();
        const { webhookId } = await subscribe(formId);
        const answer = await call("POST", `/api/webhooks/${webhookId}/test`);
        assert.equal(answer.status, 202);
        const { deliveryId } = ((await answer.json()) as { data: { deliveryId: string } }).data;
        const one = await call("GET", `/api/webhooks/${webhookId}/deliveries/${deliveryId}`);
        const { payload } = ((await one.json()) as Static<typeof DeliveryAnswer>).data;
        assert.partialDeepStrictEqual(payload as object, { isTest: true, formId, webhookId, sequence: 1 });
      });
    });

    describe("400", () => {
      test("an unknown event type, a malformed URL and a forbidden target are refused", async () => {
        const formId = await newForm();
        const bad: [object, string][] = [
          [{ formId, targetUrl: TARGET, eventTypes: [] }, "body.eventTypes"],
          [{ formId, targetUrl: TARGET, eventTypes: ["FORM_SUBMISSION", "NOPE"] }, "body.eventTypes.1"],
          [{ formId, targetUrl: TARGET }, "body.eventTypes"],
          [{ formId, eventTypes: ["FORM_UPDATED"] }, "body.targetUrl"],
          [{ targetUrl: TARGET, eventTypes: ["FORM_UPDATED"] }, "body.formId"],
          [{ formId, targetUrl: "ftp://example.com/", eventTypes: ["FORM_UPDATED"] }, "body.targetUrl"],
          [{ formId, targetUrl: "http://10.0.0.1/", eventTypes: ["FORM_UPDATED"] }, "body.targetUrl"],
          [{ formId, targetUrl: "http://[::ffff:169.254.169.254]/", eventTypes: ["FORM_UPDATED"] }, "body.targetUrl"],
        ];
        for (const [body, param] of bad) {
          const error = await expectError(
            await call("POST", "/api/webhooks", body),
            "api",
            400,
            "INVALID_VALIDATION_REQUEST",
          );
          assert.equal(error.param, param);
        }
      });

      test("a target with control characters and a leap second as a time are refused", async () => {
        const formId = await newForm();
        for (const odd of ["\u0000", "\n", "\ud800"]) {
          const wanted = { formId, targetUrl: `${TARGET}/${odd}`, eventTypes: ["FORM_UPDATED"] };
          const refused = await call("POST", "/api/webhooks", wanted);
          const error = await expectError(refused, "api", 400, "INVALID_VALIDATION_REQUEST");
          assert.equal(error.param, "body.targetUrl");
        }
        const { webhookId } = await subscribe(formId);
        const leap = await call("POST", `/api/webhooks/${webhookId}/recover`, { since: "2016-12-31T23:59:60Z" });
        const error = await expectError(leap, "api", 400, "INVALID_VALIDATION_REQUEST");
        assert.equal(error.param, "body.since");
      });

      test("a form has at most twenty webhooks, also when they are created at once", async () => {
        const formId = await newForm();
        const answers = await Promise.all(
          Array.from({ length: 25 }, (_, i) =>
            call("POST", "/api/webhooks", { formId, targetUrl: `${TARGET}/${i}`, eventTypes: ["FORM_UPDATED"] }),
          ),
        );
        assert.equal(answers.filter((answer) => answer.status === 201).length, 20);
        const refused = answers.filter((answer) => answer.status !== 201);
        for (const answer of refused) await expectError(answer, "api", 400, "BAD_REQUEST");
        const list = (await (await call("GET", `/api/webhooks?formId=${formId}&size=8&page=3`)).json()) as Static<
          typeof WebhookListAnswer
        >;
        assert.deepEqual(
          { ...list, data: list.data.length },
          { data: 4, total: 20, page: 3, size: 8, has_more: false },
        );
      });
    });

    describe("403", () => {
      test("a key without the scope is refused", async () => {
        const reader = await suite.api.createKey({ workspaceId: suite.key.workspaceId, scopes: ["forms:read"] });
        const wanted = { formId: "f", targetUrl: TARGET, eventTypes: ["FORM_UPDATED"] };
        await expectError(await callApi(suite.api, reader, "POST", "/api/webhooks", wanted), "api", 403, "FORBIDDEN");
        assert.equal((await callApi(suite.api, reader, "GET", "/api/webhooks")).status, 200);
        const stranger = await suite.api.createKey({ workspaceId: suite.key.workspaceId, scopes: ["query:read"] });
        await expectError(await callApi(suite.api, stranger, "GET", "/api/webhooks"), "api", 403, "FORBIDDEN");
      });
    });

    describe("404", () => {
      test("an unknown form is not found", async () => {
        const wanted = { formId: "frm_none", targetUrl: TARGET, eventTypes: ["FORM_UPDATED"] };
        await expectError(await call("POST", "/api/webhooks", wanted), "api", 404, "NOT_FOUND");
      });

      test("an id that no store could hold is not found, wherever it is sent", async () => {
        const since = "2020-01-01T00:00:00Z";
        for (const odd of ["%00", "whk_%00", "dlv_a%0Ab", "frm_%ED%A0%80", `whk_${"a".repeat(120)}`, "'--"]) {
          const asked: [string, string, object?][] = [
            ["GET", `/${odd}`],
            ["PATCH", `/${odd}`, { enabled: true }],
            ["DELETE", `/${odd}`],
            ["DELETE", `?webhookId=${odd}`],
            ["DELETE", `?targetUrl=http://a.example/${odd}`],
            ["GET", `?formId=${odd}`],
            ["GET", `/${odd}/poll`],
            ["POST", `/${odd}/test`],
            ["POST", `/${odd}/recover`, { since }],
            ["POST", `/${odd}/rotate-secret`],
            ["GET", `/${odd}/deliveries`],
            ["GET", `/${odd}/deliveries/${odd}`],
            ["POST", `/${odd}/deliveries/${odd}/redeliver`],
            ["POST", `/deliveries/${odd}/redeliver`],
          ];
          for (const [method, path, body] of asked) {
            const answer = await call(method, `/api/webhooks${path}`, body);
            // What is no UTF-8 is refused before any route.
            if (odd.includes("%ED") && answer.status === 400) continue;
            assert.equal(answer.status, 404, `${method} ${path}: ${await answer.text()}`);
          }
        }
        const { webhookId } = await subscribe(await newForm());
        await expectError(await call("GET", `/api/webhooks/${webhookId}/deliveries/dlv_%00`), "api", 404, "NOT_FOUND");
        const wanted = { formId: "frm_\u0000", targetUrl: TARGET, eventTypes: ["FORM_UPDATED"] };
        await expectError(await call("POST", "/api/webhooks", wanted), "api", 404, "NOT_FOUND");
      });
    });
  });
}
