import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { STYLES } from "../styles.ts";
import { type Channel, renderMessage } from "./index.ts";
import { cut, type Message } from "./message.ts";

const NOW = 1_800_000_000_123;
const LONG: Message = {
  id: "evt_1",
  type: "alert.event.triggered",
  body: { id: "evt_1", data: [{ text: "é".repeat(400_000) }] },
  thinBody: { id: "evt_1", data: [{ is_thin: true }] },
  title: `<!channel> @everyone ${"T".repeat(5_000)}`,
  lines: Array.from({ length: 60 }, (_, n) => ({ label: `L${n} <@U1>`, value: `😀${"v".repeat(4_000)}` })),
  link: "https://s.example/app?a=1&b=2",
};

function shape(channel: Channel, message: Message, secret: string, targetUrl = "https://t.example/x") {
  const payload = renderMessage(channel, message);
  const delivery = { id: "dlv_1", payload, eventType: message.type, targetUrl, sourceId: "alrt_1" };
  return STYLES[channel]({ ...delivery, secrets: [secret], nowMs: NOW });
}

describe("the channels of messages", () => {
  test("Slack: within its limits, and nothing in it is a mention", () => {
    const { body } = shape("slack", LONG, "");
    const { text, blocks } = JSON.parse(body) as {
      text: string;
      blocks: { type: string; text?: { text: string }; fields?: { text: string; verbatim: boolean }[] }[];
    };
    assert.ok(blocks.length <= 50 && text.length <= 3_000);
    assert.ok((blocks[0]?.text?.text.length ?? 0) <= 150);
    for (const { fields = [] } of blocks) {
      assert.ok(fields.length <= 10);
      for (const field of fields) {
        assert.ok(field.text.length <= 2_000 && !field.text.includes("<@"));
        assert.equal(field.verbatim, true, "Slack would make links of its URLs and mentions of its names");
      }
    }
    assert.ok(!text.includes("<!channel>") && body.length < 13_000, String(body.length));
  });

  test("a mail: a value of an event stays in its line", () => {
    const lines = [{ label: "Name\r\nx", value: "a\nhttps://evil.example/\u2028b" }];
    const { body } = shape("email", { ...LONG, title: "Alert\n\nfired", lines }, "", "mailto:ada@example.com");
    const { subject, text } = JSON.parse(body) as { subject: string; text: string };
    assert.equal(subject, "Alert fired");
    assert.deepEqual(text.split("\n"), ["Alert fired", "", "Name x: a https://evil.example/ b", "", LONG.link]);
  });

  test("Discord: within its limits, and nobody is mentioned", () => {
    const body = JSON.parse(shape("discord", LONG, "").body) as {
      content: string;
      embeds: { title: string; fields: { name: string; value: string }[] }[];
      allowed_mentions: unknown;
    };
    assert.deepEqual(body.allowed_mentions, { parse: [] });
    const [embed] = body.embeds;
    assert.ok(embed && embed.fields.length <= 25 && body.content.length <= 2_000);
    const chars =
      embed.title.length + embed.fields.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
    assert.ok(chars <= 6_000, String(chars));
  });

  test("Discord: no text of an event becomes a link with another text, and addresses of pages stay whole", () => {
    const [link, page] = ["[Claim](https://evil.example)", "https://a.example/my_page-1?x=(1)#top"];
    const lines = [
      { label: link, value: link },
      { label: "Page", value: page },
    ];
    const { content, embeds } = JSON.parse(shape("discord", { ...LONG, title: link, lines }, "").body) as {
      content: string;
      embeds: { title: string; fields: { name: string; value: string }[] }[];
    };
    const [embed] = embeds;
    const texts = [content, embed?.title, embed?.fields[0]?.name, embed?.fields[0]?.value];
    for (const text of texts) assert.equal(text, "\\[Claim\\](https://evil.example)");
    assert.equal(embed?.fields[1]?.value, page);
  });

  test("Telegram: the token is in the call alone, the text within its limit", () => {
    const { url, body } = shape("telegram", LONG, "1:token", "https://api.telegram.org/#-100");
    assert.equal(url, "https://api.telegram.org/bot1:token/sendMessage");
    const { chat_id, text } = JSON.parse(body) as { chat_id: string; text: string };
    assert.equal(chat_id, "-100");
    assert.ok(text.length <= 4_096 && text.isWellFormed() && !body.includes("1:token"));
  });

  test("a webhook has the headers of the contract and of Standard Webhooks, and both signatures hold", () => {
    const message = { ...LONG, body: { id: "evt_1", data: [] } };
    const { body, headers } = shape("alert_webhook", message, "my secret");
    assert.equal(headers["user-agent"], "Formo-Alerts/1.0");
    assert.equal(headers["x-formo-alert-id"], "alrt_1");
    assert.equal(headers["x-webhook-event"], "alert.event.triggered");
    const signed = createHmac("sha256", "my secret").update(`${headers["x-webhook-timestamp"]}.${body}`).digest("hex");
    assert.equal(headers["x-webhook-signature"], signed);
    const standard = new Webhook(Buffer.from("my secret").toString("base64"));
    // The library compares with its own clock: the signature alone is compared.
    assert.equal(standard.sign("dlv_1", new Date(NOW), body), headers["webhook-signature"]);
  });

  test("a webhook without a secret is not signed", () => {
    const { headers } = shape("alert_webhook", { ...LONG, body: {} }, "");
    assert.deepEqual(Object.keys(headers).sort(), [
      "content-type",
      "user-agent",
      "webhook-id",
      "webhook-timestamp",
      "x-formo-alert-id",
    ]);
  });

  test("a body that is too large becomes a thin one", () => {
    assert.deepEqual(JSON.parse(shape("alert_webhook", LONG, "").body), LONG.thinBody);
  });

  test("a text is not cut within a character", () => {
    assert.equal(cut("ab😀cd", 4), "ab…");
    assert.equal(cut("abcd", 4), "abcd");
  });
});
