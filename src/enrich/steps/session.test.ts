import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sampleDraft } from "../testing.ts";
import { putSession } from "./session.ts";

function sessionOf(time: string, visitor: string, session_id?: unknown): { id: string; key: string } {
  const draft = sampleDraft({ context: { session_id }, row: { timestamp: Date.parse(time), visitor } });
  putSession(draft);
  return { id: draft.row.session_id, key: draft.row.session_key };
}

describe("session", () => {
  it("is the client's where it sends one", () => {
    assert.deepEqual(sessionOf("2026-03-10T10:00:00Z", "v", "s1"), { id: "s1", key: "2026-03-10/s1" });
    assert.equal(sessionOf("2026-03-10T10:00:00Z", "v", 42).id, "42");
  });

  it("is one for each visitor and UTC day otherwise", () => {
    const morning = sessionOf("2026-03-10T00:00:00Z", "v");
    assert.deepEqual(sessionOf("2026-03-10T23:59:59.999Z", "v"), morning);
    assert.notEqual(sessionOf("2026-03-11T00:00:00Z", "v").key, morning.key);
    assert.notEqual(sessionOf("2026-03-10T00:00:00Z", "w").key, morning.key);
  });

  it("of a client counts once on each day it touches", () => {
    const before = sessionOf("2026-03-10T23:59:00Z", "v", "s1");
    const after = sessionOf("2026-03-11T00:01:00Z", "v", "s1");
    assert.equal(before.id, after.id);
    assert.notEqual(before.key, after.key);
  });

  it("of a client never meets that of a visitor of the same name", () => {
    assert.notEqual(sessionOf("2026-03-10T10:00:00Z", "x", "y").key, sessionOf("2026-03-10T10:00:00Z", "y").key);
  });

  for (const noise of [null, "", {}, [], { id: 1 }]) {
    it(`ignores ${JSON.stringify(noise)} as a session id`, () => {
      assert.deepEqual(sessionOf("2026-03-10T10:00:00Z", "v", noise), sessionOf("2026-03-10T10:00:00Z", "v"));
    });
  }
});
