import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { getAlert } from "../../src/alerts/alerts-table.ts";
import { firingId, messageId } from "../../src/alerts/firing-id.ts";
import { recordFiring } from "../../src/alerts/record-firing.ts";
import { createAlert } from "../../src/alerts/write-alert.ts";
import { ALERT_LIMITS } from "../../src/contract/alerts.ts";
import { createSecretBox } from "../../src/control/secret-box.ts";
import { deleteProject } from "../../src/control/tenants.ts";
import { newId } from "../../src/lib/ids.ts";
import { startApi, TEST_SECRET, type TestApi, type TestKey } from "../support/api.ts";
import { expectError } from "../support/envelope.ts";
import { drawnStores } from "../support/stores.ts";
import { startTarget, type Target } from "../support/targets.ts";

interface Alert {
  id: string;
  name: string;
  status: string;
  has_secret: boolean;
  recipient: { type: string; value: string[] }[];
  trigger_filters: object[];
  muted_until: string | null;
  updated_at: string | null;
  project_id: string;
}

const TOKEN = "123456:AAbbCCddEEffGGhhIIjj";

const RECEIVED = {
  ...{ of: "ingest", value: "received", window: { value: 1, unit: "hours" } },
  condition: { kind: "above", threshold: 1 },
};

for (const backend of drawnStores(import.meta.filename))
  describe(`alerts in ${backend}`, () => {
    let api: TestApi;
    let key: TestKey;
    let project_id: string;
    let target: Target;
    before(async () => {
      api = await startApi(backend);
      key = await api.createKey();
      project_id = await api.createProject(key.workspaceId, "App");
      target = await startTarget((response, { path }) => void response.writeHead(path === "/bad" ? 500 : 200).end());
    });
    after(async () => {
      await target.close();
      await api.stop();
    });

    const call = (method: string, path: string, body?: object, as = key) =>
      fetch(`${api.apiUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${as.text}`, ...(body ? { "content-type": "application/json" } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    const bodyOf = (more: object = {}) => ({
      name: "Large purchase",
      trigger_type: "event",
      trigger_filters: [{ field: "event", op: "equals", value: "purchase" }],
      recipient: [{ type: "webhook", value: [`${target.url}/hook`] }],
      project_id,
      ...more,
    });
    const make = async (more: object = {}): Promise<Alert> => {
      const made = await call("POST", "/v0/alerts", bodyOf(more));
      assert.equal(made.status, 201, await made.clone().text());
      return (await made.json()) as Alert;
    };
    const read = async (id: string) => (await (await call("GET", `/v0/alerts/${id}`)).json()) as Alert;

    test("an alert is created active, listed, switched, muted and deleted", async () => {
      const made = await make({ secret: "top secret" });
      assert.match(made.id, /^alrt_/);
      assert.deepEqual([made.status, made.has_secret, made.updated_at], ["active", true, null]);
      const list = (await (await call("GET", "/v0/alerts/")).json()) as { data: Alert[]; total: number };
      assert.ok(list.data.some(({ id }) => id === made.id) && list.total >= 1);
      const off = await call("PATCH", `/v0/alerts/${made.id}`, { status: "inactive" });
      assert.equal(((await off.json()) as Alert).status, "inactive");
      const until = "2030-01-01T00:00:00.000Z";
      const muted = await call("PATCH", `/v0/alerts/${made.id}`, { muted_until: until, status: "active" });
      assert.deepEqual(await muted.json().then((alert) => [(alert as Alert).muted_until, (alert as Alert).status]), [
        until,
        "active",
      ]);
      const gone = await call("DELETE", `/v0/alerts/${made.id}`);
      assert.deepEqual([gone.status, await gone.json()], [200, 1]);
      await expectError(await call("GET", `/v0/alerts/${made.id}`), "plain", 404, "NOT_FOUND");
    });

    test("a replacement resets what it leaves out, a change does not", async () => {
      const { id } = await make({ secret: "top secret", slack_property_keys: ["amount"] });
      await call("PATCH", `/v0/alerts/${id}`, { name: "Renamed" });
      const changed = await read(id);
      assert.deepEqual([changed.name, changed.has_secret], ["Renamed", true]);
      const { project_id: _, recipient: __, ...replacement } = bodyOf({ name: "Replaced" });
      const put = await call("PUT", `/v0/alerts/${id}`, replacement);
      assert.equal(put.status, 200);
      const replaced = (await put.json()) as Alert;
      assert.deepEqual([replaced.name, replaced.has_secret, replaced.recipient], ["Replaced", false, []]);
    });

    test("secrets of recipients are in no answer, and stay when an answer is sent back", async () => {
      const recipient = [
        { type: "slack", value: [`#ops|${target.url}/services/T0/B0/slackslackslack`] },
        { type: "telegram", value: [`${target.url}/bot${TOKEN}/sendMessage?chat_id=-100`] },
      ];
      const made = await make({ recipient, secret: "top secret" });
      const { project_id: _, ...sent } = bodyOf({ recipient: made.recipient });
      const put = await call("PUT", `/v0/alerts/${made.id}`, sent);
      assert.equal(put.status, 200);
      const texts = [JSON.stringify(made), await put.text(), await (await call("GET", "/v0/alerts")).text()];
      for (const secret of ["slackslackslack", TOKEN, "top secret"])
        for (const text of texts) assert.ok(!text.includes(secret), secret);
      for (const line of api.logs) assert.ok(!line.includes(TOKEN) && !line.includes("slackslackslack"));
      const test = await call("POST", `/v0/alerts/${made.id}/test`, {});
      assert.equal(((await test.json()) as { delivered: number }).delivered, 2);
      const paths = target.received.map(({ path }) => path);
      assert.ok(paths.includes("/services/T0/B0/slackslackslack") && paths.includes(`/bot${TOKEN}/sendMessage`));
    });

    test("a test is really sent and signed, and says what each target answered", async () => {
      const { id } = await make({ secret: "top secret" });
      const overrides = [
        { type: "webhook", value: [`${target.url}/hook`, `${target.url}/bad`, "http://127.0.0.1:9/"] },
      ];
      const from = target.received.length;
      const sent = await call("POST", `/v0/alerts/${id}/test`, {
        sampleEvent: { event: "mine" },
        recipientOverrides: overrides,
      });
      const answer = (await sent.json()) as {
        delivered: number;
        failed: number;
        results: { ok: boolean; status: number | null; reason: string | null }[];
      };
      assert.deepEqual([sent.status, answer.delivered, answer.failed], [200, 1, 2]);
      assert.deepEqual(
        answer.results.map(({ ok, status, reason }) => [ok, status, reason]),
        [
          [true, 200, null],
          [false, 500, null],
          [false, null, "connect"],
        ],
      );
      const request = target.received.slice(from).find(({ path }) => path === "/hook");
      const signed = `${String(request?.headers["x-webhook-timestamp"])}.${request?.body}`;
      assert.equal(
        request?.headers["x-webhook-signature"],
        createHmac("sha256", "top secret").update(signed).digest("hex"),
      );
      assert.equal(request?.headers["x-formo-alert-id"], id);
      const { data } = JSON.parse(request?.body ?? "") as { data: { event: string }[] };
      assert.equal(data[0]?.event, "mine");
      const none = await make({ recipient: [{ type: "slack", value: ["#a channel without a URL"] }] });
      await expectError(await call("POST", `/v0/alerts/${none.id}/test`, {}), "plain", 400, "BAD_REQUEST");
      const mail = await make({ recipient: [{ type: "email", value: ["a@b.example"] }] });
      const mailed = await (await call("POST", `/v0/alerts/${mail.id}/test`, {})).json();
      const result = { url: "a@b.example", ok: false, status: null, reason: "no_mail_server" };
      assert.deepEqual(mailed, { delivered: 0, failed: 1, results: [result] });
    });

    test("a target that has ended is on again when the alert is switched on", async () => {
      const { id } = await make();
      const ofAlert = () =>
        api.store.read.selectFrom("webhooks").select("status").where("source_id", "=", id).execute();
      await api.store.write((tx) =>
        tx.updateTable("webhooks").set({ status: "ended" }).where("source_id", "=", id).execute(),
      );
      await call("PATCH", `/v0/alerts/${id}`, { name: "Renamed" });
      assert.equal((await ofAlert())[0]?.status, "ended");
      await call("PATCH", `/v0/alerts/${id}`, { status: "active" });
      assert.deepEqual(
        (await ofAlert()).map(({ status }) => status),
        ["active"],
      );
    });

    test("the history shows firings with their deliveries, and a firing is sent again", async () => {
      const { id } = await make();
      const alert = await getAlert(api.store.read, { workspaceId: key.workspaceId, projectId: null }, id);
      const fire = async (nth: number) => {
        const firing = firingId(id, "event", String(nth));
        const message = {
          ...{ id: messageId(firing), type: "alert.event.triggered", body: {}, thinBody: {}, title: "T", lines: [] },
        };
        const details = { message_id: `m${nth}` };
        return api.store.write((tx) =>
          recordFiring(tx, alert, { id: firing, kind: "event", count: 1, details, message }, 1_000 + nth),
        );
      };
      for (const nth of [1, 2, 3]) assert.equal(await fire(nth), true);
      assert.equal(await fire(3), false, "a firing that is there changes nothing");
      type Firing = { id: string; details: object; deliveries: { state: string; channel: string; target: string }[] };
      const page = (await (await call("GET", `/v0/alerts/${id}/firings?size=2`)).json()) as {
        data: Firing[];
        total: number;
        has_more: boolean;
      };
      assert.deepEqual([page.total, page.has_more], [3, true]);
      const [newest] = page.data;
      assert.deepEqual(newest?.details, { message_id: "m3" });
      assert.deepEqual(
        newest?.deliveries.map(({ state, channel, target: at }) => [state, channel, at]),
        [["pending", "webhook", `${target.url}/hook`]],
      );
      const resend = () => call("POST", `/v0/alerts/${id}/firings/${newest?.id}/resend`);
      assert.deepEqual(await (await resend()).json(), { resent: 0 }, "it is on its way");
      await api.store.write((tx) => tx.updateTable("deliveries").set({ state: "failed" }).execute());
      assert.deepEqual(await (await resend()).json(), { resent: 1 });
      await expectError(
        await call("POST", `/v0/alerts/${id}/firings/${newId("frg")}/resend`),
        "plain",
        404,
        "NOT_FOUND",
      );
    });

    for (const [name, more, param] of [
      ["an unknown field", { trigger_filters: [{ field: "amount", value: "1" }] }, "body.trigger_filters.0.field"],
      ["an unknown type", { trigger_type: "page" }, "body.trigger_type"],
      [
        "an address that is not public",
        { recipient: [{ type: "webhook", value: ["http://10.0.0.1/"] }] },
        "body.recipient.0.value.0",
      ],
      [
        "a value that hides what nobody has",
        { recipient: [{ type: "telegram", value: ["…/1"] }] },
        "body.recipient.0.value.0",
      ],
      ["a metric of an event alert", { metric: RECEIVED }, "body.metric"],
      ["an empty name", { name: "  " }, "body.name"],
    ] as const)
      test(`${name} is refused, and ${param} is named`, async () => {
        const answer = await call("POST", "/v0/alerts", bodyOf(more));
        assert.equal(answer.status, 400);
        assert.equal(((await answer.json()) as { error: { param: string } }).error.param, param);
      });

    test(`a project has at most ${ALERT_LIMITS.perProject}, and deleting it ends all of it`, async () => {
      const other = await api.createProject(key.workspaceId, "Full");
      const body = bodyOf({ project_id: other, recipient: [{ type: "webhook", value: [`${target.url}/x`] }] });
      await make(body);
      const box = createSecretBox(TEST_SECRET, "webhook secrets");
      const { project_id: projectId, ...alert } = body;
      await api.store.write(async (tx) => {
        for (let n = 1; n < ALERT_LIMITS.perProject; n += 1)
          await createAlert(tx, key.workspaceId, { projectId, userId: null, body: alert }, { box, nowMs: 1 });
      });
      await expectError(await call("POST", "/v0/alerts", body), "plain", 409, "CONFLICT");
      await api.store.write((tx) => deleteProject(tx, key.workspaceId, other, 1));
      const left = await api.store.read
        .selectFrom("webhooks")
        .select("id")
        .where("target_url", "=", `${target.url}/x`)
        .where("deleted_at", "is", null)
        .execute();
      assert.deepEqual(left, []);
    });

    test("scopes: reading needs alerts:read, writing alerts:write; recipients are no webhooks of forms", async () => {
      const { id } = await make();
      const reader = await api.createKey({ workspaceId: key.workspaceId, scopes: ["alerts:read"] });
      assert.equal((await call("GET", `/v0/alerts/${id}`, undefined, reader)).status, 200);
      await expectError(await call("DELETE", `/v0/alerts/${id}`, undefined, reader), "plain", 403, "FORBIDDEN");
      const hooks = await fetch(`${api.apiUrl}/api/webhooks`, { headers: { "x-api-key": key.text } });
      assert.deepEqual(((await hooks.json()) as { data: unknown[] }).data, []);
    });
  });
