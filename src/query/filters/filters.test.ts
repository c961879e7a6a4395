import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FIELD_NAMES, FILTER_FIELDS, OPERATOR_NAMES } from "../../contract/filter-fields.ts";
import { INJECTIONS } from "../testing.ts";
import { isListField, PROPERTY_ABOUT } from "./filter-terms.ts";
import { buildClause, type Failures, readFilters } from "./filters.ts";

function read(filters: unknown): { clause: string; params: object; failures: Record<string, string> } {
  const failures: Failures = new Map();
  const text = typeof filters === "string" ? filters : JSON.stringify(filters);
  const { conditions } = readFilters({ filters: text }, failures, { nowMs: 0 });
  const { sql, params } = buildClause(conditions, (field) => field, "p");
  return { clause: sql, params, failures: Object.fromEntries(failures) };
}

const TEXT_SQL: Record<string, string> = {
  equals: "device = {p0:String}",
  notEquals: "device != {p0:String}",
  in: "device IN {p0:Array(String)}",
  notIn: "device NOT IN {p0:Array(String)}",
  startsWith: "startsWith(lowerUTF8(device), lowerUTF8({p0:String}))",
  endsWith: "endsWith(lowerUTF8(device), lowerUTF8({p0:String}))",
  includes: "position(lowerUTF8({p0:String}) IN lowerUTF8(device)) > 0",
  isEmpty: "device = ''",
  notEmpty: "device != ''",
};
/** Each code of a list. */
const LIST_SQL: Record<string, string> = {
  equals: "has(splitByChar(',', device), {p0:String})",
  notEquals: "NOT has(splitByChar(',', device), {p0:String})",
  in: "hasAny(splitByChar(',', device), {p0:Array(String)})",
  notIn: "NOT hasAny(splitByChar(',', device), {p0:Array(String)})",
  startsWith:
    "position(',' IN {p0:String}) = 0 AND position(concat(',', lowerUTF8({p0:String})) IN concat(',', lowerUTF8(device))) > 0",
  endsWith:
    "position(',' IN {p0:String}) = 0 AND position(concat(lowerUTF8({p0:String}), ',') IN concat(lowerUTF8(device), ',')) > 0",
  includes: "position(',' IN {p0:String}) = 0 AND position(lowerUTF8({p0:String}) IN lowerUTF8(device)) > 0",
  isEmpty: "device = ''",
  notEmpty: "device != ''",
};
const NUMBER_SQL: Record<string, string> = {
  equals: "revenue = {p0:Float64}",
  notEquals: "revenue != {p0:Float64}",
  greater: "revenue != 0 AND revenue > {p0:Float64}",
  less: "revenue != 0 AND revenue < {p0:Float64}",
  greaterOrEqual: "revenue != 0 AND revenue >= {p0:Float64}",
  lessOrEqual: "revenue != 0 AND revenue <= {p0:Float64}",
  in: "revenue IN {p0:Array(Float64)}",
  notIn: "revenue NOT IN {p0:Array(Float64)}",
};
const SHORT: Record<string, string> = {
  eq: "equals",
  neq: "notEquals",
  gt: "greater",
  gte: "greaterOrEqual",
  lt: "less",
  lte: "lessOrEqual",
  nin: "notIn",
  contains: "includes",
};

describe("the filter clause", () => {
  for (const op of OPERATOR_NAMES) {
    const full = SHORT[op] ?? op;
    for (const field of FIELD_NAMES) {
      const isText = FILTER_FIELDS[field].kind === "text";
      const texts = isListField(field) ? LIST_SQL : TEXT_SQL;
      const expected = (isText ? texts : NUMBER_SQL)[full]?.replaceAll(isText ? "device" : "revenue", field);
      test(`${op} on ${field} ${expected === undefined ? "is refused by name" : `is ${expected}`}`, () => {
        const { clause, failures } = read([{ field, op, value: isText ? "x" : 1 }]);
        if (expected !== undefined) assert.deepEqual([clause, failures], [`(${expected})`, {}]);
        else assert.deepEqual(Object.keys(failures), ["query.filters.0.op"]);
      });
    }
  }

  const values: [name: string, filter: object, params: object][] = [
    ["text as it is", { field: "event", op: "equals", value: "Swap" }, { p0: "Swap" }],
    ["a number on a text field is its text", { field: "chain_id", op: "eq", value: 8453 }, { p0: "8453" }],
    ["a boolean on a text field is its text", { field: "event", op: "eq", value: true }, { p0: "true" }],
    ["alternatives by pipes", { field: "os", op: "in", value: "ios|android" }, { p0: ["ios", "android"] }],
    ["alternatives as an array", { field: "os", op: "notIn", value: ["ios", 1] }, { p0: ["ios", "1"] }],
    ["an empty alternative", { field: "os", op: "in", value: "" }, { p0: [""] }],
    ["a number", { field: "revenue", op: "gt", value: 1.5 }, { p0: 1.5 }],
    ["a numeric text", { field: "revenue", op: "gt", value: " -1.5e3 " }, { p0: -1500 }],
    ["a number without digits after its point", { field: "revenue", op: "gt", value: "5.e1" }, { p0: 50 }],
    ["a number without digits before its point", { field: "revenue", op: "gt", value: ".5" }, { p0: 0.5 }],
    ["numeric alternatives", { field: "points", op: "in", value: "1|2.5" }, { p0: [1, 2.5] }],
    ["Direct means no referrer", { field: "referrer", op: "in", value: "Direct|t.co" }, { p0: ["", "t.co"] }],
    ["Direct in part of a referrer is text", { field: "referrer", op: "contains", value: "Direct" }, { p0: "Direct" }],
    [
      "an EVM address in lower case",
      { field: "address", op: "eq", value: "0x52908400098527886E0F7030069857D2E4169EE7" },
      { p0: "0x52908400098527886e0f7030069857d2e4169ee7" },
    ],
    ["no value where none is needed", { field: "os", op: "isEmpty" }, {}],
  ];
  for (const [name, filter, params] of values) {
    test(`binds ${name}`, () => {
      const found = read([filter]);
      assert.deepEqual(found.failures, {});
      assert.deepEqual(found.params, params);
    });
  }

  test("joins conditions by AND, each with a parameter of its own", () => {
    const { clause, params } = read([
      { field: "os", op: "eq", value: "ios" },
      { field: "revenue", op: "gte", value: 1 },
      { field: "os", op: "notEmpty" },
    ]);
    assert.equal(clause, "(os = {p0:String}) AND (revenue != 0 AND revenue >= {p1:Float64}) AND (os != '')");
    assert.deepEqual(params, { p0: "ios", p1: 1 });
  });

  const nested: [name: string, leaf: object, sql: string, params: object][] = [
    [
      "a property",
      { field: "token", op: "eq", value: "USDC" },
      "JSONExtractString(e.properties, {p0_0_key:String}) = {p0_0:String}",
      { p0_0: "USDC", p0_0_key: "token" },
    ],
    ["a column of the event", { field: "page_path", op: "isEmpty" }, "e.pathname = ''", {}],
    [
      "alternatives as values",
      { field: "os", op: "in", values: ["a"] },
      "e.os IN {p0_0:Array(String)}",
      { p0_0: ["a"] },
    ],
  ];
  for (const [name, leaf, sql, own] of nested) {
    test(`a condition on an event may have one on ${name}`, () => {
      const { clause, params, failures } = read([{ field: "event", op: "eq", value: "Swap", filters: [leaf] }]);
      assert.deepEqual([clause, failures], [`((event = {p0:String}) AND ((${sql})))`, {}]);
      assert.deepEqual(params, { p0: "Swap", ...own });
    });
  }

  test("a comparison of a property is one of numbers, and false for other values", () => {
    const leaf = { field: "amount", op: "gt", value: 5 };
    const { clause, params } = read([{ field: "type", op: "eq", value: "track", filters: [leaf] }]);
    assert.match(clause, /coalesce\(if\(match\(.*toFloat64OrNull\(.*NULL\) > \{p0_0:Float64\}, 1 = 2\)/);
    assert.deepEqual(params, { p0: "track", p0_0: 5, p0_0_key: "amount" });
  });

  const PROPERTY = "JSONExtractString(e.properties, {p0_key:String})";
  for (const name of ["token", "a.b", "$.a", 'it\'s "quoted"', "😀", "__proto__", "k".repeat(256), ...INJECTIONS]) {
    test(`a condition on the property ${JSON.stringify(name).slice(0, 40)} binds its name`, () => {
      const { clause, params, failures } = read([{ field: `properties.${name}`, op: "eq", value: "USDC" }]);
      assert.deepEqual([clause, failures], [`(${PROPERTY} = {p0:String})`, {}]);
      assert.deepEqual(params, { p0: "USDC", p0_key: name });
    });
  }

  for (const op of ["greater", "less", "greaterOrEqual", "lessOrEqual"]) {
    test(`${op} compares a property as a number, and needs one`, () => {
      const field = "properties.amount";
      const { clause, params } = read([{ field, op, value: "5" }]);
      assert.match(clause, /^\(coalesce\(if\(match\(.*toFloat64OrNull\(.*NULL\) [<>]=? \{p0:Float64\}, 1 = 2\)\)$/);
      assert.deepEqual(params, { p0: 5, p0_key: "amount" });
      assert.deepEqual(Object.keys(read([{ field, op, value: "many" }]).failures), ["query.filters.0.value"]);
    });
  }

  const leaf = { field: "token", op: "eq", value: "USDC" };
  const wrong: [name: string, filters: unknown, paths: string[]][] = [
    ["no alternatives, which would match all", [{ field: "os", op: "nin", value: [] }], ["query.filters.0.value"]],
    ["a bar inside of an alternative", [{ field: "os", op: "in", value: ["a|b"] }], ["query.filters.0.value"]],
    [
      "conditions inside one on the session",
      [{ field: "os", op: "eq", value: "ios", filters: [leaf] }],
      ["query.filters.0.filters"],
    ],
    [
      "conditions two levels deep",
      [{ field: "event", op: "eq", value: "Swap", filters: [{ ...leaf, filters: [leaf] }] }],
      ["query.filters.0.filters.0.filters"],
    ],
    [
      "mistakes on the second level",
      [{ field: "event", op: "eq", value: "Swap", filters: [leaf, { field: "", op: "nope" }, { ...leaf, op: "gt" }] }],
      [
        "query.filters.0.filters.1.field",
        "query.filters.0.filters.1.op",
        "query.filters.0.filters.1.value",
        "query.filters.0.filters.2.value",
      ],
    ],
    ["no list on the second level", [{ field: "event", op: "notEmpty", filters: {} }], ["query.filters.0.filters"]],
    ["malformed JSON", "[{", ["query.filters"]],
    ["an object", {}, ["query.filters"]],
    ["a number", "7", ["query.filters"]],
    ["null", "null", ["query.filters"]],
    ["21 conditions", Array(21).fill({ field: "os", op: "eq", value: "x" }), ["query.filters"]],
    ["a condition that is none", ["os"], ["query.filters.0"]],
    ["an unknown field", [{ field: "nope", op: "eq", value: 1 }], ["query.filters.0.field"]],
    ["a field of every object", [{ field: "constructor", op: "eq", value: 1 }], ["query.filters.0.field"]],
    ["an operator of every object", [{ field: "os", op: "toString", value: 1 }], ["query.filters.0.op"]],
    ["a property without a name", [{ field: "properties.", op: "eq", value: 1 }], ["query.filters.0.field"]],
    [
      "a property with a name of 257 characters",
      [{ field: `properties.${"k".repeat(257)}`, op: "eq", value: 1 }],
      ["query.filters.0.field"],
    ],
    [
      "a property whose name is half a surrogate pair",
      '[{"field":"properties.\\ud800","op":"eq","value":1}]',
      ["query.filters.0.field"],
    ],
    [
      "conditions inside one on a property",
      [{ field: "properties.token", op: "eq", value: "USDC", filters: [leaf] }],
      ["query.filters.0.filters"],
    ],
    ["an absent field and operator", [{ value: 1 }], ["query.filters.0.field", "query.filters.0.op"]],
    ["an absent value", [{ field: "os", op: "eq" }], ["query.filters.0.value"]],
    ["null as a value", [{ field: "os", op: "eq", value: null }], ["query.filters.0.value"]],
    ["an array where one value is wanted", [{ field: "os", op: "eq", value: ["a"] }], ["query.filters.0.value"]],
    ["an object as a value", [{ field: "os", op: "in", value: {} }], ["query.filters.0.value"]],
    ["an object among alternatives", [{ field: "os", op: "in", value: [{}] }], ["query.filters.0.value"]],
    ["text on a numeric field", [{ field: "revenue", op: "gt", value: "much" }], ["query.filters.0.value"]],
    ["a boolean on a numeric field", [{ field: "revenue", op: "eq", value: true }], ["query.filters.0.value"]],
    ["infinity", [{ field: "revenue", op: "gt", value: "1e999" }], ["query.filters.0.value"]],
    ["an empty text on a numeric field", [{ field: "revenue", op: "eq", value: "" }], ["query.filters.0.value"]],
    ["a number of 65 characters", [{ field: "revenue", op: "eq", value: "1".repeat(65) }], ["query.filters.0.value"]],
    ["a huge value", [{ field: "os", op: "eq", value: "x".repeat(5000) }], ["query.filters.0.value"]],
    ["half a surrogate pair", '[{"field":"os","op":"eq","value":"\\ud800"}]', ["query.filters.0.value"]],
    [
      "two mistakes, both at once",
      [
        { field: "os", op: "gt", value: 1 },
        { field: "x", op: "eq", value: 1 },
      ],
      ["query.filters.0.op", "query.filters.1.field"],
    ],
  ];
  for (const [name, filters, paths] of wrong) {
    test(`refuses ${name}`, () => assert.deepEqual(Object.keys(read(filters).failures), paths));
  }

  const FIELD = `must be one of ${[...FIELD_NAMES, "events", PROPERTY_ABOUT].join(", ")}`;
  const OPERATOR = `must be one of ${OPERATOR_NAMES.join(", ")}`;
  const missing: [name: string, filter: object, failures: Record<string, string>][] = [
    ["no operator", { field: "os", value: "ios" }, { op: OPERATOR }],
    ["an unknown operator", { field: "os", op: "like", value: "ios" }, { op: OPERATOR }],
    ["nothing", {}, { field: FIELD, op: OPERATOR, value: "is required, except with isEmpty and notEmpty" }],
    ["an operator alone", { op: "equals" }, { field: FIELD, value: "is required" }],
    ["an operator alone that needs no value", { op: "isEmpty" }, { field: FIELD }],
  ];
  for (const [name, filter, expected] of missing) {
    test(`reports what a condition with ${name} lacks`, () => {
      const paths = Object.entries(expected).map(([key, message]) => [`query.filters.0.${key}`, message]);
      assert.deepEqual(read([filter]).failures, Object.fromEntries(paths));
    });
  }
});

describe("an injection", () => {
  for (const text of INJECTIONS) {
    test(`${JSON.stringify(text)} stays a value`, () => {
      for (const op of ["equals", "includes", "in"]) {
        const { clause, params, failures } = read([{ field: "referrer", op, value: op === "in" ? [text] : text }]);
        const calm = read([{ field: "referrer", op, value: op === "in" ? ["x"] : "x" }]);
        assert.deepEqual([failures, clause], [{}, calm.clause]);
        assert.deepEqual(params, { p0: op === "in" ? [text] : text });
      }
    });
    test(`${JSON.stringify(text)} is no field and no operator`, () => {
      assert.deepEqual(Object.keys(read([{ field: text, op: text, value: 1 }]).failures), [
        "query.filters.0.field",
        "query.filters.0.op",
      ]);
    });
  }
});
