import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CLICK_IDS, UTM_FIELDS } from "../tags.ts";
import { sampleDraft } from "../testing.ts";
import { putTouch } from "./touch.ts";

describe("touch", () => {
  for (const column of ["page_url", "referrer", ...UTM_FIELDS, ...CLICK_IDS] as const) {
    it(`an event with ${column} can be a first touch`, () => {
      const draft = sampleDraft({ row: { [column]: "x" } });
      putTouch(draft);
      assert.equal(draft.row.has_touch, 1);
    });
  }

  it("an event without page context cannot be a first touch", () => {
    const draft = sampleDraft({ row: { pathname: "/x", ref: "alice" } });
    putTouch(draft);
    assert.equal(draft.row.has_touch, 0);
  });
});
