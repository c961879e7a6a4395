import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createMemoryLimiter } from "../../src/control/rate-limit.ts";
import { createSecretBox } from "../../src/control/secret-box.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createMailLinks } from "../../src/mail/links.ts";
import { createSendMail } from "../../src/mail/send-delivery.ts";
import { createMailer } from "../../src/mail/smtp.ts";
import type { SendMail } from "../../src/webhooks/worker.ts";
import { startApi, TEST_SECRET } from "../support/api.ts";
import { decodeHeader, startMailServer } from "../support/mail-server.ts";
import { startTarget } from "../support/targets.ts";

interface Tested {
  delivered: number;
  failed: number;
  results: { url: string; ok: boolean; status: number | null; reason: string | null }[];
}

describe("a test of an alert through a real mail server", () => {
  test("reaches the addresses that have confirmed and no others, and says of each recipient what became of it", async (t) => {
    const refused = "full@example.com";
    const smtp = await startMailServer({
      refuse: (to) => (to === refused ? { code: 552, message: "the mailbox is full" } : undefined),
    });
    t.after(smtp.stop);
    const target = await startTarget((response) => response.end("ok"));
    t.after(target.close);
    const mailer = createMailer({
      ...{ host: "127.0.0.1", port: smtp.port, isSecure: false, user: "", password: "", allowPlain: true },
      from: "Sextant <alerts@example.com>",
    });
    t.after(mailer.close);
    // The store and the address of the API are known after its start.
    let sendMail: SendMail | undefined;
    const later: SendMail = (...given) => sendMail?.(...given) ?? Promise.reject(new Error("too early"));
    const api = await startApi("sqlite", { hasMail: true }, [], { sendMail: later });
    t.after(api.stop);
    sendMail = createSendMail({
      ...{ store: api.store, mailer, clock: systemClock, writers: {}, perDay: 3, limiter: createMemoryLimiter() },
      box: createSecretBox(TEST_SECRET, "webhook secrets"),
      links: createMailLinks(TEST_SECRET),
      publicUrl: () => api.apiUrl,
    });
    const key = await api.createKey();
    const project_id = await api.createProject(key.workspaceId, "App");
    const post = async <T>(path: string, body: object) => {
      const answer = await fetch(`${api.apiUrl}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key.text}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      assert.ok(answer.ok, await answer.clone().text());
      return (await answer.json()) as T;
    };
    const addresses = ["yes@example.com", "silent@example.com", "stopped@example.com", "left@example.com", refused];
    const { id } = await post<{ id: string }>("/v0/alerts", {
      ...{ name: "Purchase", trigger_type: "event", trigger_filters: [], project_id },
      recipient: [
        { type: "webhook", value: [target.url] },
        { type: "email", value: addresses },
      ],
    });
    // As their owners say by the links in their mails.
    const confirmed = ["yes@example.com", "left@example.com", refused];
    await api.store.write(async (tx) => {
      const set = tx.updateTable("mail_addresses");
      await set.set({ state: "confirmed" }).where("mailbox", "in", confirmed).execute();
      await set.set({ state: "stopped" }).where("mailbox", "=", "stopped@example.com").execute();
      const ended = { status: "ended" as const };
      await tx.updateTable("webhooks").set(ended).where("target_url", "=", "mailto:left@example.com").execute();
    });

    const tested = await post<Tested>(`/v0/alerts/${id}/test`, {});
    const byUrl = new Map(tested.results.map(({ url, ...result }) => [url, result]));
    assert.deepEqual(Object.fromEntries(byUrl), {
      [target.url]: { ok: true, status: 200, reason: null },
      "yes@example.com": { ok: true, status: 250, reason: null },
      "silent@example.com": { ok: false, status: null, reason: "unconfirmed" },
      "stopped@example.com": { ok: false, status: null, reason: "unsubscribed" },
      "left@example.com": { ok: false, status: null, reason: "unsubscribed" },
      [refused]: { ok: false, status: 552, reason: null },
    });
    assert.deepEqual([tested.delivered, tested.failed], [2, 4]);
    assert.deepEqual(
      smtp.mails.map(({ to, headers }) => [to, decodeHeader(headers.get("subject") ?? "")]),
      [[["yes@example.com"], "Test: Purchase: test"]],
    );
    assert.match(smtp.mails[0]?.text ?? "", /Unsubscribe: http/);

    const override = (value: string) =>
      post<Tested>(`/v0/alerts/${id}/test`, { recipientOverrides: [{ type: "email", value: [value] }] });
    assert.equal((await override("new@example.com")).results[0]?.reason, "unsaved");
    assert.equal((await override("YES@example.com")).results[0]?.ok, true);
    // Two were taken and one was refused.
    assert.equal((await override("yes@example.com")).results[0]?.reason, "limited");
    assert.equal(smtp.mails.length, 2);
  });
});
