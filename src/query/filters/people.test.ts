import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { PEOPLE_LIMITS } from "../../contract/people.ts";
import type { Failures } from "./condition.ts";
import { readFilters } from "./filters.ts";

const NOW_MS = Date.parse("2026-03-11T12:00:00Z");
const SWAP = { event: "Swap", operator: "gte", times: 1 };
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");
const about = (behaviours: unknown) => ({ field: "events", op: "eq", value: encode(behaviours) });

function read(list: readonly object[], segment: readonly object[] = []) {
  const failures: Failures = new Map();
  const { people, conditions } = readFilters({ filters: JSON.stringify(list) }, failures, { nowMs: NOW_MS, segment });
  return { people, conditions, failures: Object.fromEntries(failures) };
}

describe("the behaviours of people", () => {
  const events: [given: object, type: string | undefined, event: string | undefined][] = [
    [{ event: "transaction" }, "transaction", undefined],
    [{ event: "track" }, "track", undefined],
    [{ event: "Swap" }, undefined, "Swap"],
    [{ event: "page", event_type: "track" }, "track", "page"],
    [{ event_type: "decoded_log" }, "decoded_log", undefined],
    [{ event_type: "connect", event: "connect" }, "connect", undefined],
  ];
  for (const [given, type, event] of events) {
    test(`${JSON.stringify(given)} means ${event ?? "any"} of ${type ?? "custom and decoded events"}`, () => {
      const { people, failures } = read([about([{ operator: "gte", times: 1, ...given }])]);
      assert.deepEqual(failures, {});
      assert.deepEqual([people[0]?.type, people[0]?.event], [type, event]);
    });
  }

  const times: [given: object, from: string | undefined, to: string | undefined][] = [
    [{ preset: "last_7d" }, "2026-03-05", "2026-03-11"],
    [{ preset: "last_30d" }, "2026-02-10", "2026-03-11"],
    [{ preset: "last_24h" }, "2026-03-10", "2026-03-11"],
    [{ preset: "all_time" }, undefined, undefined],
    [{}, undefined, undefined],
    [{ date_from: "2026-03-01" }, "2026-03-01", undefined],
    [{ preset: "custom", date_from: "2026-03-01", date_to: "2026-03-02" }, "2026-03-01", "2026-03-02"],
  ];
  for (const [given, from, to] of times) {
    test(`${JSON.stringify(given)} is from ${from ?? "ever"} to ${to ?? "ever"}`, () => {
      const { people, failures } = read([about([{ ...SWAP, ...given }])]);
      assert.deepEqual(failures, {});
      assert.deepEqual([people[0]?.from, people[0]?.to], [from, to]);
    });
  }

  test("the last 24 hours end now, and not with the day", () => {
    const [day] = read([about([{ ...SWAP, preset: "last_24h" }])]).people;
    assert.deepEqual(day?.between, [NOW_MS - 86_400_000, NOW_MS]);
  });

  const none: [operator: string, times: number, allowsNone: boolean][] = [
    ["eq", 0, true],
    ["eq", 1, false],
    ["neq", 0, false],
    ["neq", 1, true],
    ["gt", 0, false],
    ["gte", 0, true],
    ["greaterOrEqual", 1, false],
    ["lt", 0, false],
    ["lt", 1, true],
    ["lte", 0, true],
  ];
  for (const [operator, count, allowsNone] of none) {
    test(`${operator} ${count} ${allowsNone ? "includes" : "excludes"} people who never did it`, () => {
      const [behaviour] = read([about([{ ...SWAP, operator, times: count }])]).people;
      assert.equal(behaviour?.allowsNone, allowsNone);
    });
  }

  test("stand beside other conditions, and those of a segment beside both", () => {
    const device = { field: "device", op: "eq", value: "desktop" };
    const found = read([device, about([SWAP])], [about([SWAP, SWAP]), device]);
    assert.deepEqual(found.failures, {});
    assert.deepEqual([found.conditions.length, found.people.length], [2, 3]);
  });

  const ten = (count: number) => Array.from({ length: count }, () => SWAP);
  const device = { field: "device", op: "eq", value: "x" };
  const refused: [name: string, filter: object, path: string, why: RegExp][] = [
    ["another operator", { ...about([SWAP]), op: "in" }, "op", /must be eq on events/],
    ["no value", { field: "events", op: "eq" }, "value", /is required/],
    ["a number", { field: "events", op: "eq", value: 7 }, "value", /must be the base64 text/],
    ["text that is not base64", { field: "events", op: "eq", value: "{}" }, "value", /it is not base64/],
    ["base64 of no JSON", { field: "events", op: "eq", value: "AAAA" }, "value", /it is not valid JSON/],
    ["base64 of bytes that are no text", { field: "events", op: "eq", value: "//79" }, "value", /not valid UTF-8/],
    ["base64 of an object", about({}), "value", /must be the base64 text of a JSON array of behaviours/],
    ["no behaviours", about([]), "value", /1 to 10 behaviours/],
    ["eleven behaviours", about(ten(11)), "value", /1 to 10 behaviours/],
    ["a behaviour that is a text", about(["Swap"]), "value.0", /must be an object/],
    ["no event", about([{ operator: "gte", times: 1 }]), "value.0.event", /is required/],
    ["an unknown type", about([{ ...SWAP, event_type: "swap" }]), "value.0.event_type", /must be one of page, connect/],
    [
      "a name of a type without names",
      about([{ ...SWAP, event_type: "page" }]),
      "value.0.event",
      /must be empty or page/,
    ],
    ["an unknown operator", about([{ ...SWAP, operator: "in" }]), "value.0.operator", /must be one of eq, neq/],
    ["half a time", about([{ ...SWAP, times: 0.5 }]), "value.0.times", /whole number from 0 to 1000000/],
    ["times below zero", about([{ ...SWAP, times: -1 }]), "value.0.times", /whole number/],
    [
      "an unknown preset",
      about([{ ...SWAP, preset: "last_8d" }]),
      "value.0.preset",
      /must be one of last_24h, last_7d/,
    ],
    [
      "dates beside a preset",
      about([{ ...SWAP, preset: "last_7d", date_to: "2026-01-01" }]),
      "value.0.preset",
      /custom/,
    ],
    ["custom without dates", about([{ ...SWAP, preset: "custom" }]), "value.0.date_from", /is required/],
    ["a day that is none", about([{ ...SWAP, date_from: "2026-02-30" }]), "value.0.date_from", /valid date/],
    [
      "days in the wrong order",
      about([{ ...SWAP, date_from: "2026-02-02", date_to: "2026-02-01" }]),
      "value.0.date_from",
      /must not be after/,
    ],
    ["an unknown key", about([{ ...SWAP, op: "eq" }]), "value.0.op", /is unknown: a behaviour has event/],
    [
      "eleven conditions",
      about([{ ...SWAP, filters: Array(11).fill({ field: "token", op: "eq", value: "x" }) }]),
      "value.0.filters",
      /at most 10 conditions/,
    ],
    [
      "a condition that is wrong",
      about([{ ...SWAP, filters: [{ field: "token", op: "nope", value: "x" }] }]),
      "value.0.filters.0.op",
      /must be one of/,
    ],
    ["conditions of its own", { ...about([SWAP]), filters: [] }, "filters", /each behaviour may have its own/],
    [
      "a long text",
      { field: "events", op: "eq", value: "A".repeat(PEOPLE_LIMITS.chars + 4) },
      "value",
      /at most 16384 characters/,
    ],
  ];
  for (const [name, filter, path, why] of refused) {
    test(`refuses ${name} at its place`, () => {
      const { failures } = read([device, filter]);
      assert.deepEqual(Object.keys(failures), [`query.filters.1.${path}`]);
      assert.match(Object.values(failures)[0] ?? "", why);
    });
  }

  test("are at most ten in a list, however many conditions hold them", () => {
    assert.deepEqual(Object.keys(read([about(ten(6)), about(ten(6))]).failures), ["query.filters"]);
    assert.deepEqual(read([about(ten(10))], [about(ten(10))]).failures, {});
  });

  test("of a segment are refused under the name of the segment", () => {
    assert.deepEqual(Object.keys(read([], [about([])]).failures), ["query.segment.0.value"]);
  });
});
