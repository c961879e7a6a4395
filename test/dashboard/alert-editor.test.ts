/** The alert editor's drafts, without a browser. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { alertText } from "../../dashboard/src/format/alert-words.ts";
import { asksSame } from "../../src/alerts/same-question.ts";
import type { AlertView } from "../../src/contract/alerts.ts";

type Filters = AlertView["trigger_filters"];

// Imported by its path as a text: the types of a browser, which its neighbours need, are not those of this process.
const DRAFTS = "../../dashboard/src/pages/alerts/draft.ts";
const { draftOf, filtersOf, savedOf } = (await import(DRAFTS)) as {
  draftOf: (alert: AlertView | undefined) => object;
  filtersOf: (draft: object) => Filters;
  savedOf: (draft: object) => { trigger_filters: Filters };
};

const alertOf = (trigger_type: "event" | "user", trigger_filters: Filters) =>
  ({
    ...{ name: "A", trigger_type, trigger_filters, metric: null, recipient: [] },
    ...{ slack_property_keys: [], include_imported: false, has_secret: false },
  }) as unknown as AlertView;

const asked = (trigger: "event" | "user", filters: Filters) =>
  ({ trigger, filters, metric: null, includeImported: false }) as const;

test("an alert that was made over the API and is saved in the editor asks what it asked before", () => {
  const cases: ["event" | "user", Filters][] = [
    ["event", [{ field: "address", op: "notEquals", value: "" }]],
    [
      "event",
      [
        { field: "event", value: "buy" },
        { field: "referrer", op: "neq", value: "a.example" },
      ],
    ],
    ["event", [{ field: "user_id", op: "starts-with", value: " x" }]],
    ["user", [{ field: "revenue", value: "100" }]],
    ["user", [{ field: "volume", op: "less", value: "", numericThreshold: "5" }]],
    ["user", [{ field: "utm_source", value: "" }]],
  ];
  for (const [trigger, filters] of cases) {
    const saved = savedOf(draftOf(alertOf(trigger, filters)));
    assert.ok(asksSame(asked(trigger, filters), asked(trigger, [...saved.trigger_filters])), JSON.stringify(filters));
  }
});

test("a row that nobody has filled in is no condition", () => {
  assert.deepEqual(filtersOf(draftOf(undefined)), []);
});

test("conditions are named by what they compare, however they are spelt", () => {
  const text = (trigger: "event" | "user", filter: Filters[number]) => alertText(alertOf(trigger, [filter]));
  assert.equal(text("event", { field: "event", op: "neq", value: "buy" }), "Every event whose event is not buy");
  assert.equal(text("event", { field: "event", value: "buy" }), "Every event whose event is buy");
  assert.equal(
    text("event", { field: "address", op: "notEquals", value: "" }),
    "Every event whose address is not empty",
  );
  assert.equal(text("user", { field: "revenue", value: "100" }), "Every wallet whose revenue is at least 100");
});
