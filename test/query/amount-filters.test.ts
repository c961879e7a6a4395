/** Filters by amount look at events that carry the amount, and compare exact numbers. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { BLANK_ROW } from "../support/blank-row.ts";
import { BOTH_IN_LONG, type StartedEngine } from "../support/both-engines.ts";
import { askMarch, startReports } from "../support/visits.ts";

const NOW_MS = Date.parse("2026-03-05T12:00:00Z");

/** Each visitor views a page without revenue. As a text, ClickHouse before 26.7 read -28.6852 as its neighbour. */
const PAID = { ada: 0.5, bob: 5, eve: -28.6852, kay: 0 };

async function store(engine: AnalyticsEngine): Promise<void> {
  const atMs = Date.parse("2026-03-01T12:00:00Z");
  const rows = Object.entries(PAID).flatMap(([anonymous_id, revenue]) => {
    const common = { ...BLANK_ROW, project_id: "p", dedupe_day: "2026-03-01", anonymous_id, chain_id: anonymous_id };
    return [
      { ...common, message_id: `${anonymous_id} page`, timestamp: atMs, type: "page", has_touch: 1 },
      {
        ...common,
        message_id: `${anonymous_id} paid`,
        timestamp: atMs + 60_000,
        type: "transaction",
        revenue,
        properties: JSON.stringify({ paid: String(revenue) }),
      },
    ];
  });
  await engine.importRows("events", rows);
}

const FILTERS: readonly (readonly [name: string, filters: readonly object[], who: string])[] = [
  ["revenue under 1", [{ field: "revenue", op: "lt", value: 1 }], "ada eve"],
  ["revenue at least 0", [{ field: "revenue", op: "gte", value: 0 }], "ada bob"],
  ["revenue of 0", [{ field: "revenue", op: "eq", value: 0 }], "ada bob eve kay"],
  [
    "a list and a bound, both with the exact amount",
    [
      { field: "revenue", op: "gte", value: -28.6852 },
      { field: "revenue", op: "lte", value: -28.6852 },
      { field: "revenue", op: "in", value: [0, -28.6852] },
    ],
    "eve",
  ],
  [
    "a property that is exactly the bound",
    [
      { field: "properties.paid", op: "lte", value: -28.6852 },
      { field: "properties.paid", op: "gte", value: "-28.6852" },
    ],
    "eve",
  ],
  [
    "the amount of an event in the condition of its type",
    [{ field: "type", op: "neq", value: "identify", filters: [{ field: "revenue", op: "lt", value: 1 }] }],
    "ada eve",
  ],
];

for (const { name: engine, skip, start } of BOTH_IN_LONG)
  describe(`a filter by amount on ${engine}`, { skip }, () => {
    let started: StartedEngine;
    before(async () => {
      started = await start({ nowMs: () => NOW_MS });
      await store(started.engine);
    });
    after(() => started.stop());

    for (const [name, filters, who] of FILTERS)
      test(`${name} keeps ${who}`, async () => {
        const run = startReports(started.engine, { nowMs: () => NOW_MS });
        const rows = (await askMarch(run, "top_chains", { filters: JSON.stringify(filters) })) as {
          chain_id: string;
        }[];
        assert.deepEqual(rows.map(({ chain_id }) => chain_id).toSorted(), who.split(" "));
      });
  });
