import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  ALERT_OPERATORS,
  EVENT_ALERT_FIELDS,
  findOperator,
  NUMBER_OPERATORS,
  TEXT_OPERATORS,
  USER_NUMBER_FIELDS,
  USER_TEXT_FIELDS,
} from "../contract/alert-fields.ts";
import { type AlertFilter, type Condition, type Held, meets, readCondition } from "./conditions.ts";

function read(trigger: "event" | "user", filter: AlertFilter): Condition {
  const condition = readCondition(trigger, filter, "f", (path, reason) => assert.fail(`${path} ${reason}`));
  assert.ok(condition);
  return condition;
}

function failureOf(trigger: "event" | "user", filter: AlertFilter): string[] {
  const failures: string[] = [];
  readCondition(trigger, filter, "f", (path, reason) => failures.push(`${path} ${reason}`));
  return failures;
}

/** Operator -> a value that `purchase done` meets, and one that it does not. */
const TEXTS = {
  equals: ["purchase done", "purchase"],
  notEquals: ["purchase", "purchase done"],
  contains: ["chase d", "Chase"],
  startsWith: ["purchase", "done"],
  endsWith: ["done", "purchase"],
} as const;

/** Operator -> a number that 10 meets, and one that it does not. */
const NUMBERS = {
  equals: ["10", "10.5"],
  notEquals: ["9", "10"],
  gt: ["9.99", "10"],
  gte: ["10", "10.01"],
  lt: ["11", "10"],
  lte: ["10", "9"],
} as const;

describe("the conditions of alerts", () => {
  const texts = [
    ...EVENT_ALERT_FIELDS.map((field) => ["event", field] as const),
    ...USER_TEXT_FIELDS.map((field) => ["user", field] as const),
  ];
  for (const [trigger, field] of texts)
    test(`every operator of texts on ${field} of ${trigger} alerts`, () => {
      for (const op of TEXT_OPERATORS) {
        const [met, other] = TEXTS[op];
        const held = (name: string): Held => (name === field ? "purchase done" : undefined);
        assert.equal(meets([read(trigger, { field, op, value: met })], held), true, `${op} ${met}`);
        assert.equal(meets([read(trigger, { field, op, value: other })], held), false, `${op} ${other}`);
      }
    });

  for (const field of USER_NUMBER_FIELDS)
    test(`every operator of numbers on ${field}, as value and as numericThreshold`, () => {
      const held = (name: string): Held => (name === field ? 10 : undefined);
      for (const op of NUMBER_OPERATORS) {
        const [met, other] = NUMBERS[op];
        assert.equal(meets([read("user", { field, op, value: met })], held), true);
        assert.equal(meets([read("user", { field, op, value: "", numericThreshold: other })], held), false);
      }
    });

  test("a text of several is compared with each; none of them may be what is excluded", () => {
    const held = () => ["vip", "gold"];
    const is = (op: string, value: string) => meets([read("user", { field: "labels", op, value })], held);
    assert.deepEqual(
      [is("eq", "gold"), is("eq", "silver"), is("neq", "gold"), is("neq", "silver")],
      [true, false, false, true],
    );
  });

  test("what is not known meets no condition", () => {
    for (const op of NUMBER_OPERATORS)
      assert.equal(
        meets([read("user", { field: "net_worth_usd", op, value: "0" })], () => undefined),
        false,
      );
  });

  test("conditions are joined by AND, and none is met by everything", () => {
    const both = [read("event", { field: "type", value: "track" }), read("event", { field: "event", value: "buy" })];
    assert.equal(
      meets(both, (field) => (field === "type" ? "track" : "buy")),
      true,
    );
    assert.equal(
      meets(both, () => "track"),
      false,
    );
    assert.equal(
      meets([], () => undefined),
      true,
    );
  });

  test("every spelling of an operator is known, and no other", () => {
    for (const spelling of ALERT_OPERATORS) assert.ok(findOperator(spelling));
    assert.equal(findOperator("matches"), undefined);
  });

  for (const [name, trigger, filter, path] of [
    ["an unknown field", "event", { field: "properties.amount", value: "1" }, "f.field"],
    ["a field of users", "event", { field: "net_worth_usd", value: "1" }, "f.field"],
    ["a comparison of a text", "event", { field: "event", op: "gt", value: "1" }, "f.op"],
    ["a part of a number", "user", { field: "volume", op: "contains", value: "1" }, "f.op"],
    ["a number that is none", "user", { field: "volume", value: "many" }, "f.value"],
    ["an empty number", "user", { field: "volume", value: "1", numericThreshold: " " }, "f.numericThreshold"],
    ["a threshold of a text", "user", { field: "device", value: "x", numericThreshold: "1" }, "f.numericThreshold"],
  ] as const)
    test(`${name} is refused, and the field is named`, () => {
      const [failure] = failureOf(trigger, filter);
      assert.ok(failure?.startsWith(`${path} `), failure);
    });
});
