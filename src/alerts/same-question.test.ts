import assert from "node:assert/strict";
import { test } from "node:test";
import { asksSame } from "./same-question.ts";

const METRIC = {
  ...{ of: "report", report: "kpis", value: "visitors", params: { segment: "seg_1", bots: "exclude" } },
  ...{ window: { value: 1, unit: "hours" }, condition: { kind: "above", threshold: 5 } },
};
const asked = (more: object) =>
  ({ trigger: "event", filters: [], metric: null, includeImported: false, ...more }) as const;
const ofEvents = (...filters: object[]) => asked({ filters }) as Parameters<typeof asksSame>[0];
const ofNumber = (metric: object) => asked({ trigger: "metric", metric }) as Parameters<typeof asksSame>[0];

test("a definition that is written in another way asks the same", () => {
  const { condition, params, ...rest } = METRIC;
  const asPagesSend = {
    ...{ condition, pending: 1, cool_down_minutes: 0, delay_minutes: 2, ...rest },
    params: { bots: params.bots, segment: params.segment },
  };
  assert.ok(asksSame(ofNumber(METRIC), ofNumber(asPagesSend)));
  const short = { value: "buy", field: "event" };
  assert.ok(asksSame(ofEvents(short), ofEvents({ field: "event", op: "equals", value: "buy" })));
  assert.ok(asksSame(ofEvents({ ...short, op: "neq" }), ofEvents({ ...short, op: "notEquals" })));
  const [byThreshold, byValue] = [{ value: "", numericThreshold: "5" }, { value: "5" }].map((number) =>
    asked({ trigger: "user", filters: [{ field: "revenue", op: "gte", ...number }] }),
  ) as Parameters<typeof asksSame>[0][];
  assert.ok(byThreshold && byValue && asksSame(byThreshold, byValue));
});

test("another condition, number, window or choice of events asks something else", () => {
  const buys = { field: "event", op: "equals", value: "buy" };
  assert.ok(!asksSame(ofEvents(buys), ofEvents({ ...buys, op: "notEquals" })));
  assert.ok(!asksSame(ofEvents(buys), ofEvents({ ...buys, value: "Buy" })));
  assert.ok(!asksSame(ofEvents(buys), ofEvents(buys, { field: "address", op: "notEquals", value: "" })));
  assert.ok(!asksSame(ofEvents(buys), { ...ofEvents(buys), includeImported: true }));
  const changes = [
    { value: "sessions" },
    { window: { value: 2, unit: "hours" } },
    { params: { segment: "seg_2" } },
    { condition: { kind: "above", threshold: 6 } },
    { pending: 2 },
  ];
  for (const change of changes)
    assert.ok(!asksSame(ofNumber(METRIC), ofNumber({ ...METRIC, ...change })), JSON.stringify(change));
});
