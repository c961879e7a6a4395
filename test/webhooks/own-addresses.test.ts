import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import { createTargetPolicy, isAllowed } from "../../src/webhooks/address-guard.ts";

test("webhooks cannot reach an address of this machine's interfaces, even a public one", async () => {
  const policy = createTargetPolicy({ allowNetworks: [], allowLoopback: false, publicUrls: [] });
  const own = await policy.ownAddresses?.();
  for (const addresses of Object.values(networkInterfaces()))
    for (const { address } of addresses ?? []) assert.ok(own?.has(address), address);
  assert.equal(isAllowed("93.184.215.14", policy), true);
  assert.equal(isAllowed("93.184.215.14", policy, new Set(["93.184.215.14"])), false);
});
