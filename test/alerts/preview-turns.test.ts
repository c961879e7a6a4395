import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type MetricApi, startMetricApi } from "./metric-api.ts";

const METRIC = {
  ...{ of: "report", report: "kpis", value: "visitors", condition: { kind: "unusual" } },
  ...{ window: { value: 6, unit: "hours" }, every: { value: 1, unit: "hours" } },
};
const PREVIEWS = [
  { trigger_type: "metric", metric: METRIC },
  { trigger_type: "user", trigger_filters: [{ field: "revenue", op: "gte", value: "0" }] },
  { trigger_type: "event", trigger_filters: [{ field: "event", value: "swap" }] },
];
const AT_ONCE = 3;

describe("previews of one workspace", () => {
  let it: MetricApi;
  before(async () => {
    it = await startMetricApi();
    await it.store(
      Array.from({ length: 40 }, (_, nth) => ({
        ...{ at: `2026-03-0${1 + (nth % 8)}T1${nth % 10}:00:00`, visitor: `v${nth}`, type: "track", event: "swap" },
        address: `0x${nth.toString(16).padStart(40, "0")}`,
      })),
    );
    it.setTime("2026-03-10T12:00:00");
  });
  after(() => it.stop());

  test("are made one after the other, whatever they look for, and ask the engine one thing at a time", async () => {
    const asked = Array.from({ length: AT_ONCE }, () => PREVIEWS).flat();
    const answers = await Promise.all(asked.map((body) => it.call("POST", "/v0/alerts/preview", body)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      asked.map(() => 200),
    );
    assert.equal(it.mostAtOnce(), 1);
  });
});
