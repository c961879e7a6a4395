import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fullestShard, largestShare, needsOf } from "../../bench/sizing-model.ts";

const COSTS = {
  serviceUs: 50,
  duckdbUs: 50,
  clickhouseUs: 25,
  sentBytes: 1_000,
  duckdbBytes: 150,
  clickhouseBytes: 100,
};
const MACHINES = { ingestCores: 2, clickhouseCores: 16, replicas: 2 };

/** Each shard in turn: as even as a placement can be. */
function createTurns(shards: number): () => number {
  let nth = -1;
  return () => {
    nth = (nth + 1) % shards;
    return nth / shards;
  };
}

describe("the sizing of an installation", () => {
  test("one machine is enough up to half of what its one writer stores", () => {
    const even = () => 1;
    assert.equal(needsOf(10_000, COSTS, MACHINES, even).oneMachineCores, 2);
    assert.equal(needsOf(10_001, COSTS, MACHINES, even).oneMachineCores, undefined);
  });

  test("a node that fails leaves enough for the peak, and half of each core is free", () => {
    // 100,000 events/s take 5 cores at 50 us: 10 half-busy ones are five nodes of two.
    assert.equal(needsOf(100_000, COSTS, MACHINES, () => 1).ingestNodes, 5 + 1);
  });

  test("the fullest shard decides how many there are", () => {
    const even = needsOf(1_000_000, COSTS, MACHINES, () => 1);
    const crowded = needsOf(1_000_000, COSTS, MACHINES, () => 1.5);
    assert.equal(even.shards, 4);
    assert.equal(crowded.shards, 5);
  });

  test("no number of shards divides the largest project", () => {
    const share = largestShare(1_000, 1.1);
    for (const shards of [2, 16, 256]) {
      const fullest = fullestShard(shards, 1_000, 1.1, 1, createTurns(shards));
      assert.ok(fullest / shards >= share, `${shards} shards: the fullest has ${fullest / shards} of all events`);
    }
    assert.equal(fullestShard(1, 1_000, 1.1, 1, Math.random), 1);
  });
});
