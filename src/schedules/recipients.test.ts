import assert from "node:assert/strict";
import { test } from "node:test";
import { type KnownRecipient, readRecipients, viewRecipient } from "./recipients.ts";

const fail = (path: string, reason: string) => assert.fail(`${path} ${reason}`);
const knownOf = (given: readonly { type: string; value: string }[]) =>
  readRecipients(given, [], fail).map(
    (target) => ({ ...target, status: "active", isConfirmed: true }) as unknown as KnownRecipient,
  );

test("targets that are hidden alike all stay when an answer is sent back, and addresses are one in any case", () => {
  const targets = [
    "https://chat.example/hooks/one",
    "https://chat.example/hooks/two",
    "https://chat.example/hooks/TWO",
  ];
  const known = knownOf([
    ...targets.map((value) => ({ type: "slack", value })),
    { type: "email", value: "Ada@example.com" },
    { type: "email", value: "ada@example.com" },
  ]);
  assert.equal(known.length, 4);
  const shown = known.map(viewRecipient);
  assert.equal(new Set(shown.map(({ value }) => value)).size, 2);
  const again = readRecipients(shown, known, fail).map(({ targetUrl }) => targetUrl);
  assert.deepEqual(again, [...targets, "mailto:ada@example.com"]);
});
