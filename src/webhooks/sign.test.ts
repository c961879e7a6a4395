import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { newSecret, signPayload } from "./sign.ts";

/** Two receivers that share no code with the sender or with each other. */
const RECEIVERS = { standardwebhooks: StandardWebhook, svix: SvixWebhook };

const BODIES = [
  "{}",
  '{"eventType":"FORM_SUBMISSION","sequence":1}',
  JSON.stringify({ name: "Zoë 💚 日本", quote: '"\\', line: "a\r\nb\u2028", nul: "\0" }),
  JSON.stringify({ long: "x".repeat(256 * 1024) }),
];

interface Message {
  id: string;
  timestamp: string;
  signature: string;
  body: string;
}

function sign(body: string, secrets: readonly string[]): Message {
  const id = "msg_0a1B2c3D4e5F6g7H8i9J0k";
  const timestampS = Math.floor(Date.now() / 1000);
  return { id, timestamp: String(timestampS), signature: signPayload({ id, timestampS, body, secrets }), body };
}

function verify(receiver: keyof typeof RECEIVERS, secret: string, { id, timestamp, signature, body }: Message): void {
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
  new RECEIVERS[receiver](secret).verify(body, headers);
}

/** Every message that differs in one character of one part. */
function* changed(message: Message): Generator<[string, Message]> {
  for (const part of ["id", "timestamp", "signature", "body"] as const) {
    const text = message[part];
    for (let at = 0; at < text.length; at += 1) {
      const other = /[0-8a-yA-Y]/.test(text[at] ?? "") ? String.fromCharCode(text.charCodeAt(at) + 1) : "0";
      yield [`${part}[${at}]`, { ...message, [part]: text.slice(0, at) + other + text.slice(at + 1) }];
    }
  }
}

for (const receiver of Object.keys(RECEIVERS) as (keyof typeof RECEIVERS)[]) {
  describe(`a receiver with ${receiver}`, () => {
    test("verifies every body", () => {
      for (const body of BODIES) {
        const secret = newSecret();
        verify(receiver, secret, sign(body, [secret]));
      }
    });

    test("verifies with the new and with the old secret while a rotation lasts, and with no third one", () => {
      const [current, previous] = [newSecret(), newSecret()];
      const message = sign("{}", [current, previous]);
      verify(receiver, current, message);
      verify(receiver, previous, message);
      assert.throws(() => verify(receiver, newSecret(), message));
      assert.throws(() => verify(receiver, previous, sign("{}", [current])));
    });

    test("refuses a message with one changed character, wherever it stands", () => {
      const secret = newSecret();
      const message = sign('{"a":"b"}', [secret]);
      let tried = 0;
      for (const [where, wrong] of changed(message)) {
        assert.throws(() => verify(receiver, secret, wrong), where);
        tried += 1;
      }
      assert.ok(tried > 80);
    });
  });
}

describe("a webhook secret", () => {
  test("is whsec_ and 256 random bits", () => {
    const secrets = Array.from({ length: 100 }, newSecret);
    assert.equal(new Set(secrets).size, 100);
    for (const secret of secrets) {
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.equal(Buffer.from(secret.slice(6), "base64").length, 32);
    }
  });

  test("that is missing or none of ours is an error, not an unsigned message", () => {
    const message = { id: "msg_1", timestampS: 1, body: "{}" };
    assert.throws(() => signPayload({ ...message, secrets: [] }));
    assert.throws(() => signPayload({ ...message, secrets: ["sxt_no_webhook_secret"] }));
  });
});
