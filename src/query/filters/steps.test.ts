import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isTransaction } from "../../materialize/columns.ts";
import { INJECTIONS } from "../testing.ts";
import type { Failures } from "./condition.ts";
import { readOneStep, readSteps, stepMark } from "./steps.ts";

const PAGE = { type: "event", event: "page" };

function readOne(step: unknown) {
  const failures: Failures = new Map();
  const read = readOneStep(JSON.stringify(step), "query.start_step", failures);
  return { mark: read && stepMark(read, "s"), failures: Object.fromEntries(failures) };
}

describe("a step", () => {
  const marks: [step: object, sql: string, params: object][] = [
    [PAGE, "if(e.type = {s_type:String}, 1, 0)", { s_type: "page" }],
    [
      { type: "event", event: "/swap" },
      "if(e.type = {s_type:String}, if(e.pathname = {s_path:String}, 1, 0), 0)",
      { s_type: "page", s_path: "/swap" },
    ],
    [
      { ...PAGE, resolved_event: "/swap" },
      "if(e.type = {s_type:String}, if(e.pathname = {s_path:String}, 1, 0), 0)",
      { s_type: "page", s_path: "/swap" },
    ],
    [{ ...PAGE, resolved_event: "__ALL_PAGE_VIEWS__" }, "if(e.type = {s_type:String}, 1, 0)", { s_type: "page" }],
    [{ type: "connect" }, "if(e.type = {s_type:String}, 1, 0)", { s_type: "connect" }],
    [
      { type: "track", event: "Swap" },
      "if(e.type = {s_type:String}, if(e.event = {s_event:String}, 1, 0), 0)",
      { s_type: "track", s_event: "Swap" },
    ],
    [
      { type: "signature", event: "confirmed" },
      "if(e.type = {s_type:String}, if(e.status = {s_status:String}, 1, 0), 0)",
      { s_type: "signature", s_status: "confirmed" },
    ],
    [
      { type: "transaction", event: "transaction" },
      `if(e.type = {s_type:String}, if(${isTransaction("e")} = 1, 1, 0), 0)`,
      { s_type: "transaction" },
    ],
    [
      { type: "transaction", status_value: "reverted" },
      "if(e.type = {s_type:String}, if((e.status = {s_0:String}), 1, 0), 0)",
      { s_type: "transaction", s_0: "reverted" },
    ],
    [
      { type: "connect", event: "connect", rdns: { op: "eq", value: "io.metamask" } },
      "if(e.type = {s_type:String}, if((e.rdns = {s_0:String}), 1, 0), 0)",
      { s_type: "connect", s_0: "io.metamask" },
    ],
    [
      { type: "transaction", filters: [{ field: "properties.status", op: "eq", value: "reverted" }] },
      "if(e.type = {s_type:String}, if((e.status = {s_0:String}), 1, 0), 0)",
      { s_type: "transaction", s_0: "reverted" },
    ],
    [
      { type: "connect", filters: [{ field: "properties.rdns", op: "eq", value: "io.metamask" }] },
      "if(e.type = {s_type:String}, if((JSONExtractString(e.properties, {s_0_key:String}) = {s_0:String}), 1, 0), 0)",
      { s_type: "connect", s_0: "io.metamask", s_0_key: "rdns" },
    ],
  ];
  for (const [step, sql, params] of marks) {
    test(`${JSON.stringify(step)} is ${sql}`, () => {
      const { mark, failures } = readOne(step);
      assert.deepEqual(failures, {});
      assert.deepEqual(mark, { sql, params });
    });
  }

  for (const value of INJECTIONS) {
    test(`${JSON.stringify(value)} stays a value`, () => {
      const { mark } = readOne({ type: "track", event: value, filters: [{ field: value, op: "eq", value }] });
      const plain = readOne({ type: "track", event: "x", filters: [{ field: "x", op: "eq", value: "x" }] });
      assert.equal(mark?.sql, plain.mark?.sql);
    });
  }

  const wrong: [name: string, step: unknown, ...paths: string[]][] = [
    ["no object", [], ""],
    ["an unknown type", { type: "nope", event: "x" }, ".type"],
    [
      "no type and no operator",
      { event: "x", filters: [{ field: "a" }] },
      ".filters.0.op",
      ".filters.0.value",
      ".type",
    ],
    ["a tracked event without a name", { type: "track", event: "" }, ".event"],
    ["an unknown built-in event", { type: "event", event: "Swap" }, ".event"],
    ["a status of a connection", { type: "connect", event: "confirmed" }, ".event"],
    ["a number as a name", { type: "track", event: 7 }, ".event"],
    ["a name of 513 characters", { type: "track", event: "x".repeat(513) }, ".event"],
    ["filters that are no list", { ...PAGE, filters: {} }, ".filters"],
    ["an unknown key", { ...PAGE, icon: "x" }, ".icon"],
    ["a bad condition as a key", { ...PAGE, rdns: { op: "nope", value: 1 } }, ".rdns.op"],
    ["a prefix without a key", { ...PAGE, filters: [{ field: "properties.", op: "isEmpty" }] }, ".filters.0.field"],
    ["nested filters", { ...PAGE, filters: [{ field: "a", op: "eq", value: 1, filters: [] }] }, ".filters.0.filters"],
  ];
  for (const [name, step, ...paths] of wrong) {
    test(`refuses ${name}`, () => {
      assert.deepEqual(
        Object.keys(readOne(step).failures).sort(),
        paths.map((path) => `query.start_step${path}`),
      );
    });
  }
});

describe("a list of steps", () => {
  const read = (steps: unknown) => {
    const failures: Failures = new Map();
    return { steps: readSteps(steps, "query.steps", failures), failures: Object.fromEntries(failures) };
  };

  test("names steps that have no name by their event and place", () => {
    const { steps } = read(JSON.stringify([PAGE, { type: "transaction" }, { ...PAGE, name: "again" }]));
    assert.deepEqual(
      steps.map(({ name }) => name),
      ["page::0", "transaction::1", "again"],
    );
  });

  const wrong: [name: string, steps: unknown, ...paths: string[]][] = [
    ["nothing", undefined, "query.steps"],
    ["malformed JSON", "[", "query.steps"],
    ["one step", JSON.stringify([PAGE]), "query.steps"],
    ["eleven steps", JSON.stringify(Array(11).fill(PAGE)), "query.steps"],
    ["a name twice", JSON.stringify([PAGE, PAGE].map((step) => ({ ...step, name: "x" }))), "query.steps.1.name"],
    [
      "two bad steps, both at once",
      JSON.stringify([{ type: "x" }, { ...PAGE, filters: [{ field: "a", op: "x", value: 1 }] }]),
      "query.steps.0.type",
      "query.steps.1.filters.0.op",
    ],
  ];
  for (const [name, steps, ...paths] of wrong) {
    test(`refuses ${name}`, () => assert.deepEqual(Object.keys(read(steps).failures).sort(), paths));
  }
});
