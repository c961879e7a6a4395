import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { judgePage } from "./judge-page.ts";
import { createPageTokens } from "./page-token.ts";

const NOW = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;
const tokens = createPageTokens(Buffer.alloc(32, 1));
const token = tokens.issue("frm_a", NOW);

describe("a page's token", () => {
  const judge = (text: string, laterMs: number, trap = "") =>
    judgePage(tokens, "frm_a", { token: text, trap }, NOW + laterMs);

  test("is taken from a second to a day after the page was made, by any node with the same secret", () => {
    for (const laterMs of [1_000, DAY]) {
      const judged = judge(token, laterMs);
      assert.equal(judged.kind === "take" && judged.spam, null);
    }
    const elsewhere = createPageTokens(Buffer.alloc(32, 1)).read("frm_a", token, NOW);
    assert.equal(elsewhere.kind, "good");
  });

  test("sent within a second, or with the trap filled, is suspected spam", () => {
    assert.partialDeepStrictEqual(judge(token, 999), { kind: "take", spam: "too_fast" });
    assert.partialDeepStrictEqual(judge(token, 60_000, "x"), { kind: "take", spam: "honeypot" });
  });

  test("is requested again after a day, from the future, or when it is not ours", () => {
    assert.deepEqual(judge(token, DAY + 1), { kind: "again", why: "expired" });
    assert.deepEqual(judge(token, -DAY), { kind: "again", why: "expired" });
    for (const text of ["", "x", "A".repeat(10_000), tokens.issue("frm_b", NOW), token.slice(1)])
      assert.deepEqual(judge(text, 5_000), { kind: "again", why: "unknown" });
    const other = createPageTokens(Buffer.alloc(32, 2)).issue("frm_a", NOW);
    assert.deepEqual(judge(other, 5_000), { kind: "again", why: "unknown" });
  });

  test("one changed bit of any byte is noticed", () => {
    const bytes = Buffer.from(token, "base64url");
    for (let i = 0; i < bytes.length; i += 1) {
      const changed = Buffer.from(bytes);
      changed[i] = (changed[i] ?? 0) ^ 1;
      assert.equal(tokens.read("frm_a", changed.toString("base64url"), NOW).kind, "forged");
    }
  });

  test("two pages never share one", () => {
    assert.notEqual(tokens.issue("frm_a", NOW), token);
  });
});
