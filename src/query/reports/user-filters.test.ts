import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Failures } from "../filters/condition.ts";
import { questionFailures, questionOf } from "../testing.ts";
import { readUserFilters } from "./user-filters.ts";

function read(query: Record<string, unknown>) {
  const failures: Failures = new Map();
  const given = Object.entries(query).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return { filters: readUserFilters(Object.fromEntries(given), failures, []), failures: Object.fromEntries(failures) };
}

describe("the filters of wallets", () => {
  const same: [name: string, filter: unknown][] = [
    ["a list", [{ field: "source", op: "in", value: "web|api" }]],
    ["an object of the older form", { op: "in", value: ["web", "api"] }],
  ];
  for (const [name, source_filter] of same) {
    test(`source_filter may be ${name}`, () => {
      const { filters, failures } = read({ source_filter });
      assert.deepEqual(failures, {});
      assert.deepEqual(filters.ofEvent, {
        sql: "(e.channel IN {source0:Array(String)})",
        params: { source0: ["web", "api"] },
      });
    });
  }

  test("channel_filter compares the channel of the session", () => {
    const { filters } = read({ channel_filter: [{ field: "channel_type", op: "neq", value: "Direct" }] });
    assert.deepEqual(filters.ofSession, {
      sql: "(v.channel != {channel_type0:String})",
      params: { channel_type0: "Direct" },
    });
  });

  test("conditions on lifecycle choose the stages that meet all of them, in any case", () => {
    const stages = (...filters: object[]) => read({ filters }).filters.stages;
    assert.equal(stages({ field: "os", op: "eq", value: "ios" }), undefined);
    assert.deepEqual(stages({ field: "lifecycle", op: "eq", value: "power user" }), [3]);
    assert.deepEqual(
      stages(
        { field: "os", op: "eq", value: "ios" },
        { field: "lifecycle", op: "nin", value: "New|Churned" },
        { field: "lifecycle", op: "in", value: ["New", "At Risk"] },
      ),
      [5],
    );
  });

  test("a reference day beyond all storable ones is the last of them", () => {
    const { dateFrom, lastDay } = questionOf("lifecycle", { date_from: "9999-12-30", date_to: "9999-12-31" });
    assert.deepEqual([dateFrom, lastDay], ["2149-06-05", "2149-06-05"]);
  });

  test("a stage that does not exist is refused with the list of stages, and other reports have no such field", () => {
    const filters = [{ field: "lifecycle", op: "eq", value: "Lost" }];
    assert.deepEqual(read({ filters }).failures, {
      "query.filters.0.value": "must be one of New, Returning, Power user, Resurrected, At Risk, Churned",
    });
    assert.deepEqual(Object.keys(questionFailures("kpis", { filters: JSON.stringify(filters) })), [
      "query.filters.0.field",
    ]);
    questionOf("frequency", { filters: JSON.stringify([{ field: "lifecycle", op: "eq", value: "New" }]) });
  });

  const entry = { event: "Swap", event_type: "track", op: "gte", times: 2 };
  const wrong: [name: string, query: Record<string, unknown>, ...paths: string[]][] = [
    ["a retired parameter", { socials: ["ens"], lifecycle_filter: "New" }, "lifecycle_filter", "socials"],
    ["a source filter that is no JSON", { source_filter: "web" }, "source_filter"],
    ["another field", { source_filter: [{ field: "channel_type", op: "eq", value: "x" }] }, "source_filter.0.field"],
    ["another operator", { channel_filter: { op: "contains", value: "x" } }, "channel_filter.0.op"],
    ["behaviours that are no list", { behavior_filters: entry }, "behavior_filters"],
    ["21 behaviours", { behavior_filters: Array(21).fill(entry) }, "behavior_filters"],
    ["a text as a behaviour", { behavior_filters: ["x"] }, "behavior_filters.0"],
    ["an unknown type", { behavior_filters: [{ ...entry, event_type: "nope" }] }, "behavior_filters.0.event_type"],
    ["no event", { behavior_filters: [{ ...entry, event: "" }] }, "behavior_filters.0.event"],
    ["half a time", { behavior_filters: [{ ...entry, times: 1.5 }] }, "behavior_filters.0.times"],
    ["an impossible date", { behavior_filters: [{ ...entry, date_to: "2026-02-30" }] }, "behavior_filters.0.date_to"],
    [
      "dates in the wrong order",
      { behavior_filters: [{ ...entry, date_from: "2026-03-02", date_to: "2026-03-01" }] },
      "behavior_filters.0.date_from",
    ],
    ["no window", { behavior_filters: [{ ...entry, relative_to: "first_seen" }] }, "behavior_filters.0.window"],
    [
      "a window in years",
      { behavior_filters: [{ ...entry, relative_to: "first_seen", window: { value: 1, unit: "year" } }] },
      "behavior_filters.0.window",
    ],
    [
      "several mistakes, all at once",
      { behavior_filters: [{ op: "like" }, { ...entry, times: -1 }] },
      "behavior_filters.0.event",
      "behavior_filters.0.op",
      "behavior_filters.0.times",
      "behavior_filters.1.times",
    ],
  ];
  for (const [name, query, ...paths] of wrong) {
    test(`refuse ${name}`, () => {
      assert.deepEqual(
        Object.keys(read(query).failures).sort(),
        paths.map((path) => `query.${path}`),
      );
    });
  }

  test("a wallet is at risk before it is churned", () => {
    const days = { at_risk_min_days_inactive: 30, churn_window_days: 30 };
    assert.deepEqual(questionFailures("lifecycle", days), {
      "query.at_risk_min_days_inactive": "must be below churn_window_days, which is 30",
    });
  });
});
