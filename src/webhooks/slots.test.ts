import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Lane } from "./lanes.ts";
import { createSlots, SLOT_LIMITS } from "./slots.ts";

function lane(path: string, failing: boolean, host = "a"): Lane {
  const targetOrigin = `https://${host}.example`;
  const secrets = { sealedSecret: "", sealedPrevious: null, previousUntilMs: null };
  const target = { targetUrl: `${targetOrigin}/${path}`, targetOrigin, style: "standard_webhooks" } as const;
  return {
    webhookId: `${host} ${path}`,
    sourceId: "frm_1",
    workspaceId: "w",
    ...target,
    open: true,
    failing,
    lastSuccessAtMs: null,
    ...secrets,
  };
}

const given = (shares: readonly { slots: number }[]) => shares.reduce((sum, { slots }) => sum + slots, 0);

describe("the slots of a host", () => {
  test("one lane gets at most a quarter of them", () => {
    assert.ok(SLOT_LIMITS.perLane * 4 <= SLOT_LIMITS.perOrigin);
    assert.equal(given(createSlots(SLOT_LIMITS).share([lane("one", false)])), SLOT_LIMITS.perLane);
  });

  test("lanes that fail get at most half of them, and the others stay for those that work", () => {
    const slots = createSlots(SLOT_LIMITS);
    const dead = Array.from({ length: 10 }, (_, i) => lane(`dead${i}`, true));
    for (let poll = 0; poll < 3; poll += 1) {
      for (const share of slots.share(dead)) for (let i = 0; i < share.slots; i += 1) slots.take(share.lane);
    }
    assert.equal(slots.used(), SLOT_LIMITS.perOrigin / 2);
    assert.deepEqual(slots.full().failingOrigins, ["https://a.example"]);
    assert.ok(slots.isLimited(), "what ends makes room for what waits");
    assert.equal(given(slots.share([...dead, lane("live", false)])), SLOT_LIMITS.perLane);
    assert.equal(given(slots.share([lane("dead", true, "b")])), SLOT_LIMITS.perLane, "another host has its own");
  });
});
