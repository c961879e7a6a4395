import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sampleDraft } from "../testing.ts";
import { putExtra } from "./extra.ts";

describe("extra", () => {
  it("is empty for the twelve fields of the contract", () => {
    const draft = sampleDraft();
    assert.equal(putExtra(draft), undefined);
    assert.equal(draft.row.extra, "{}");
  });

  it("keeps every other field", () => {
    const draft = sampleDraft({ raw: { location: "DE", nested: { a: [1] }, flag: null } });
    putExtra(draft);
    assert.equal(draft.row.extra, '{"location":"DE","nested":{"a":[1]},"flag":null}');
  });

  it("keeps a field named __proto__ as data", () => {
    const draft = { ...sampleDraft(), raw: JSON.parse('{"__proto__":{"x":1},"constructor":2}') };
    putExtra(draft);
    assert.equal(draft.row.extra, '{"__proto__":{"x":1},"constructor":2}');
  });

  it("parks an event whose extra fields cannot be serialized", () => {
    let deep: object = {};
    for (let level = 0; level < 50_000; level++) deep = { deep };
    assert.equal(putExtra(sampleDraft({ raw: { deep } }))?.why, "too_deep");
  });
});
