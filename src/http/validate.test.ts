import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ChartBody } from "../contract/charts.ts";
import { ApiError } from "../contract/errors.ts";
import { FormBody } from "../contract/forms.ts";
import { Type } from "../contract/type.ts";
import { SubscribeBody } from "../contract/webhooks.ts";
import { inSomeRound } from "../lib/testing.ts";
import type { Route } from "./route.ts";
import { createValidator } from "./validate.ts";

function validatorOf(body: object): (sent: unknown) => Record<string, unknown> {
  const check = createValidator()({ body } as unknown as Route);
  return (sent) => {
    try {
      check({ params: {}, query: {}, body: sent }, 0);
      return {};
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      return cause.details ?? {};
    }
  };
}

describe("a body with an array that is too long", () => {
  test("is reported together with every other failure, also those of its first items", () => {
    const field = { label: "a", type: "select" };
    const options = Array.from({ length: 1_000 }, () => ({ label: "o" }));
    const failures = validatorOf(FormBody)({
      title: "",
      description: 1,
      fields: [{ ...field, options }, { type: "nope" }, ...Array(10_000).fill(field)],
    });
    const { "body.fields.1.type": type, ...others } = failures;
    assert.match(String(type), /^must be one of/);
    assert.deepEqual(others, {
      "body.title": "must not be empty",
      "body.description": "must be a string",
      "body.fields": "must have at most 100 items",
      "body.fields.0.options": "must have at most 200 items",
      "body.fields.1.label": "is required",
    });
  });

  test("is not shortened if it is not too long", () => {
    const draft = (count: number) => ({ title: "t", fields: Array(count).fill({ label: "a", type: "email" }) });
    assert.deepEqual(validatorOf(FormBody)(draft(100)), {});
    assert.deepEqual(validatorOf(FormBody)(draft(101)), { "body.fields": "must have at most 100 items" });
  });

  const form = (items: unknown[]) => ({ title: "t", fields: items });
  const shapes: [name: string, schema: object, make: (count: number) => unknown][] = [
    ["fields", FormBody, (count) => form(Array(count).fill(0))],
    ["options", FormBody, (count) => form([{ label: "a", type: "select", options: Array(count).fill(0) }])],
    ["event types", SubscribeBody, (count) => ({ formId: "f", targetUrl: "u", eventTypes: Array(count).fill(0) })],
    ["columns of a chart", ChartBody, (count) => ({ y_axis: Array(count).fill(0) })],
    ["anchors of a chart", ChartBody, (count) => ({ settings: { anchors: Array(count).fill(0) } })],
    ["conditions of a chart", ChartBody, (count) => ({ settings: { filters: Array(count).fill(0) } })],
    ["conditions of a step", ChartBody, (count) => ({ settings: { startStep: { filters: Array(count).fill(0) } } })],
  ];
  for (const [name, schema, make] of shapes) {
    test(`costs the same with 70,000 ${name} as with 300`, async () => {
      const check = validatorOf(schema);
      const least = (count: number) =>
        Math.min(
          ...Array.from({ length: 7 }, () => {
            const body = make(count);
            const startedAt = performance.now();
            check(body);
            return performance.now() - startedAt;
          }),
        );
      await inSomeRound(5, () => {
        const few = least(300);
        const many = least(70_000);
        assert.ok(many < 20 * few, `${many} ms against ${few} ms`);
      });
    });
  }

  test("cannot occur, because a schema with an unbounded array is refused", () => {
    const schema = Type.Object({ list: Type.Array(Type.String()) });
    assert.throws(() => validatorOf(schema), /no maxItems/);
    const inUnion = Type.Object({ list: Type.Union([Type.Array(Type.String()), Type.Null()]) });
    assert.throws(() => validatorOf(inUnion), /no maxItems/);
  });

  test("is not shortened by what another form of the same value allows", () => {
    const list = (maxItems: number) => Type.Array(Type.String(), { maxItems });
    assert.throws(() => validatorOf(Type.Object({ list: Type.Union([list(2), list(5)]) })), /two forms with arrays/);
  });
});
