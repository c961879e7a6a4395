import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Type as Typebox } from "typebox";
import { Type } from "./type.ts";

type Make = (type: typeof Type) => unknown;

const SCHEMAS: Readonly<Record<string, Make>> = {
  "plain values": (t) => [t.String(), t.Number(), t.Integer(), t.Boolean(), t.Null(), t.Unknown()],
  "values with options": (t) => [
    t.String({ maxLength: 3 }),
    t.Integer({ minimum: 1 }),
    t.Unknown({ description: "x" }),
  ],
  literals: (t) => [t.Literal("a"), t.Literal(1), t.Literal(true, { description: "x" })],
  unions: (t) => t.Union([t.Literal("a"), t.Null()], { description: "x" }),
  arrays: (t) => t.Array(t.String(), { maxItems: 3 }),
  "an object of optional properties": (t) => t.Object({ a: t.Optional(t.String({ description: "x" })) }),
  "an object that requires some": (t) =>
    t.Object({ a: t.String(), b: t.Optional(t.Null()), c: t.Boolean() }, { additionalProperties: false }),
  "an object within another": (t) => t.Object({ a: t.Object({ b: t.Optional(t.Array(t.Integer())) }) }),
  "an object without properties": (t) => t.Object({}),
  records: (t) => t.Record(t.String(), t.Unknown(), { description: "x" }),
};

describe("the schemas of the contract are those of typebox:", () => {
  for (const [name, make] of Object.entries(SCHEMAS))
    test(name, () => assert.equal(JSON.stringify(make(Type)), JSON.stringify(make(Typebox))));

  test("a property is made optional without changing the schema that it is made of", () => {
    const text = Type.String();
    Type.Optional(text);
    assert.deepEqual(Type.Object({ text }).required, ["text"]);
  });
});
