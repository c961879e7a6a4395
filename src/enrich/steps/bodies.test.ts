import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sampleDraft } from "../testing.ts";
import { parseBodies } from "./bodies.ts";

function nested(levels: number): object {
  let value: object = {};
  for (let level = 0; level < levels; level++) value = { value };
  return value;
}

describe("context and properties", () => {
  const kept: [name: string, given: unknown, text: string, fields: object][] = [
    ["text is kept letter by letter", '{ "a" : 1 }', '{ "a" : 1 }', { a: 1 }],
    ["an object becomes text", { a: [1, null] }, '{"a":[1,null]}', { a: [1, null] }],
    ["null is an empty object", null, "{}", {}],
    ["absent is an empty object", undefined, "{}", {}],
    ["an escaped lone surrogate stays escaped", '{"a":"\\ud800"}', '{"a":"\\ud800"}', { a: "\ud800" }],
    ["a lone surrogate in an object is escaped", { a: "\udc00" }, '{"a":"\\udc00"}', { a: "\udc00" }],
    ["a bare lone surrogate in text is replaced", '{"a":"\ud800"}', '{"a":"\ufffd"}', { a: "\ud800" }],
    ["an escaped NUL is kept", '{"a":"\\u0000"}', '{"a":"\\u0000"}', { a: "\0" }],
  ];
  for (const [name, given, text, fields] of kept) {
    it(name, () => {
      const draft = sampleDraft({ raw: { context: given, properties: given } });
      assert.equal(parseBodies(draft), undefined);
      assert.equal(draft.row.context, text);
      assert.equal(draft.row.properties, text);
      assert.deepEqual(draft.context, fields);
      assert.deepEqual(draft.properties, fields);
    });
  }

  const parked: [name: string, given: unknown, why: string][] = [
    ["broken text", "{", "bad_json"],
    ["empty text", "", "bad_json"],
    ["text of a list", "[1]", "bad_json"],
    ["text of null", "null", "bad_json"],
    ["text of a number", "12", "bad_json"],
    ["a list", [{}], "bad_json"],
    ["a number", 12, "bad_json"],
    ["a boolean", true, "bad_json"],
    ["a NUL byte in the text", '{"a":"\0"}', "bad_json"],
    ["an object nested 50,000 levels deep", nested(50_000), "too_deep"],
  ];
  for (const [name, given, why] of parked) {
    it(`${name} parks the event, in either field`, () => {
      assert.equal(parseBodies(sampleDraft({ raw: { context: given } }))?.why, why);
      assert.equal(parseBodies(sampleDraft({ raw: { properties: given } }))?.why, why);
    });
  }

  it("a __proto__ key stays a key and changes no prototype", () => {
    const draft = sampleDraft({ raw: { context: '{"__proto__":{"ref":"x"}}' } });
    assert.equal(parseBodies(draft), undefined);
    assert.equal(draft.context.ref, undefined);
    assert.equal(Object.getPrototypeOf(draft.context), Object.prototype);
  });
});
