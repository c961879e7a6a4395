import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callApi, makeForm, sendJson } from "../support/forms.ts";
import { makeDataDir, readCredentials, startService } from "../support/service.ts";
import { startTarget } from "../support/targets.ts";
import { waitFor } from "../support/wait.ts";

describe("webhooks of the whole service", () => {
  test("in a private trial a submission reaches a loopback target at once, and SIGTERM ends cleanly", async (t) => {
    const { dir, remove } = makeDataDir();
    t.after(remove);
    const target = await startTarget((response) => response.writeHead(204).end());
    t.after(() => target.close());
    const service = await startService(dir);
    t.after(() => service.kill("SIGKILL"));
    const key = { text: readCredentials(dir).apiKey };
    const form = await makeForm(service, key);
    const wanted = { formId: form.id, targetUrl: target.url, eventTypes: ["FORM_SUBMISSION"] };
    assert.equal((await callApi(service, key, "POST", "/api/webhooks", wanted)).status, 201);
    assert.equal((await sendJson(service, form.id, { name: "Ada" })).status, 201);
    await waitFor("the delivery", () => target.received.length === 1, 10_000);
    const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
    assert.match(metrics, /sextant_webhook_first_attempt_delay_seconds_count 1/);
    assert.equal(await service.kill("SIGTERM"), 0);
  });
});
