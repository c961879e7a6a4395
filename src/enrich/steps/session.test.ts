import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sampleDraft } from "../testing.ts";
import { putSession } from "./session.ts";

function sessionOf(session_id: unknown): string {
  const draft = sampleDraft({ context: { session_id } });
  putSession(draft);
  return draft.row.session_id;
}

describe("session", () => {
  it("is the session id that the client sends", () => {
    assert.equal(sessionOf("s1"), "s1");
    assert.equal(sessionOf(42), "42");
  });

  for (const noise of [undefined, null, "", {}, [], { id: 1 }]) {
    it(`is empty for ${JSON.stringify(noise)}`, () => assert.equal(sessionOf(noise), ""));
  }
});
