import assert from "node:assert/strict";
import { test } from "node:test";
import { detectSource } from "./detect.ts";

const ROWS = {
  umami: { event_id: "1", session_id: "2", event_type: "1", created_at: "2024-03-01" },
  posthog: { uuid: "1", event: "$pageview", distinct_id: "a", timestamp: "2024-03-01", properties: {} },
  ga4: { event_name: "page_view", event_timestamp: "1", event_params: [] },
  matomo: { idVisit: 1, visitorId: "a", actionDetails: [] },
  mixpanel: { event: "Order", properties: { time: 1, distinct_id: "a" } },
  amplitude: { event_type: "Order", event_time: "2024-03-01" },
  segment: { type: "track", messageId: "a", event: "Order" },
};

test("a row of each product's export is known by its names", () => {
  for (const [source, row] of Object.entries(ROWS)) assert.equal(detectSource(row), source);
});

test("any other row is generic, also one with a name and properties", () => {
  assert.equal(detectSource({ event: "Order", properties: {}, timestamp: "2024-03-01" }), "generic");
  assert.equal(detectSource({ paid_at: "2024-03-01", customer: "a" }), "generic");
  assert.equal(detectSource({}), "generic");
});
