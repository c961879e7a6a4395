import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StoredRecipient } from "../webhooks/recipients.ts";
import { type GivenRecipient, readRecipients } from "./recipients.ts";

const TOKEN = "123456:AAbbCCddEEffGGhhIIjj";

function read(given: readonly GivenRecipient[], known: readonly StoredRecipient[] = [], secret = "s") {
  const failures: string[] = [];
  const found = readRecipients(given, known, secret, (path, reason) => failures.push(`${path} ${reason}`));
  return { ...found, failures };
}

describe("the recipients of an alert", () => {
  test("each type has its channel, and answers hide what opens a target", () => {
    const { targets, shown, failures } = read([
      { type: "webhook", value: ["https://a.example/hook?x=1", "https://hooks.slack.com/services/T/B/secretsecret"] },
      { type: "slack", value: ["#ops|https://hooks.slack.com/services/T1/B1/secretsecret", "C0123"] },
      { type: "discord", value: ["https://discord.com/api/webhooks/1/secretsecret"] },
      { type: "telegram", value: [`${TOKEN}/-100123`] },
      { type: "email", value: ["a@b.example"] },
    ]);
    assert.deepEqual(failures, []);
    assert.deepEqual(
      targets.map(({ channel, targetUrl, secret }) => [channel, targetUrl, secret]),
      [
        ["alert_webhook", "https://a.example/hook?x=1", "s"],
        ["slack", "https://hooks.slack.com/services/T/B/secretsecret", ""],
        ["slack", "https://hooks.slack.com/services/T1/B1/secretsecret", ""],
        ["discord", "https://discord.com/api/webhooks/1/secretsecret", ""],
        ["telegram", "https://api.telegram.org/#-100123", TOKEN],
        ["email", "mailto:a@b.example", ""],
      ],
    );
    assert.deepEqual(
      shown.map(({ value }) => value),
      [
        ["https://a.example/hook?x=1", "https://hooks.slack.com/services/T/B/…cret"],
        ["#ops|https://hooks.slack.com/services/T1/B1/…cret", "C0123"],
        ["https://discord.com/api/webhooks/1/…cret"],
        ["…/-100123"],
        ["a@b.example"],
      ],
    );
  });

  test("a value as an answer gave it keeps what is stored, and only that", () => {
    const given: GivenRecipient[] = [
      { type: "slack", value: ["#ops|https://hooks.slack.com/services/T1/B1/secretsecret"] },
      { type: "telegram", value: [`${TOKEN}/-100123`, `http://127.0.0.1:9/bot${TOKEN}/sendMessage?chat_id=@ops`] },
    ];
    const first = read(given);
    const known = first.targets.map((target, at) => ({
      ...target,
      webhookId: `whk_${at}`,
      isActive: true,
      isEnded: false,
    }));
    const again = read(first.shown, known);
    assert.deepEqual(again.failures, []);
    assert.deepEqual(
      again.targets.map(({ targetUrl, secret }) => [targetUrl, secret]),
      first.targets.map(({ targetUrl }) => [targetUrl, undefined]),
    );
    assert.ok(!JSON.stringify(again.shown).includes("secretsecret") && !JSON.stringify(again.shown).includes(TOKEN));
    assert.equal(read(first.shown, []).failures.length, 3);
  });

  test("two targets that are hidden alike both stay, and one that is there twice, when an answer is sent back", () => {
    const given: GivenRecipient[] = [
      { type: "webhook", value: ["https://discord.com/api/webhooks/1/secretsecret"] },
      { type: "slack", value: ["https://chat.example/in?token=a", "#b|https://chat.example/in?token=b"] },
      { type: "slack", value: ["#c|https://chat.example/in?token=b"] },
    ];
    const first = read(given);
    const known = first.targets.map((target, at) => ({
      ...target,
      webhookId: `whk_${at}`,
      isActive: true,
      isEnded: false,
    }));
    const again = read(first.shown, known);
    assert.deepEqual(again.failures, []);
    assert.deepEqual(
      again.targets.map(({ targetUrl, channel }) => [targetUrl, channel]),
      first.targets.map(({ targetUrl, channel }) => [targetUrl, channel]),
    );
    assert.deepEqual(again.shown, first.shown);
  });

  for (const [name, given, path] of [
    ["no URL", { type: "webhook", value: ["hook"] }, "body.recipient.0.value.0"],
    ["no server", { type: "telegram", value: ["foo://h/bot1/sendMessage?chat_id=1"] }, "body.recipient.0.value.0"],
    ["no token", { type: "telegram", value: ["-100123"] }, "body.recipient.0.value.0"],
  ] as const)
    test(`${name} is refused, and named`, () => {
      const [failure] = read([given]).failures;
      assert.ok(failure?.startsWith(path), failure);
    });
});
