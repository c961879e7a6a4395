import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createTargetPolicy, findAddresses, isAllowed } from "../../src/webhooks/address-guard.ts";
import { createOwnAddresses } from "../../src/webhooks/own-addresses.ts";
import type { Address } from "../../src/webhooks/resolve-name.ts";

test("webhooks cannot reach an address of this machine's interfaces, even a public one", async () => {
  const policy = createTargetPolicy({ allowNetworks: [], allowLoopback: false, publicUrls: [] });
  const own = await policy.ownAddresses?.();
  for (const addresses of Object.values(networkInterfaces()))
    for (const { address } of addresses ?? []) assert.ok(own?.has(address), address);
  assert.equal(isAllowed("93.184.215.14", policy), true);
  assert.equal(isAllowed("93.184.215.14", policy, new Set(["93.184.215.14"])), false);
});

describe("the addresses of the public URLs", () => {
  const PUBLIC = { publicUrls: ["https://sextant.example"], address: "93.184.215.14" };

  test("stay refused while their name cannot be resolved, and nobody waits for it", async () => {
    let nowMs = 0;
    let answer: () => Promise<Address[]> = async () => [{ address: PUBLIC.address, family: 4 }];
    const own = createOwnAddresses(
      PUBLIC.publicUrls,
      () => answer(),
      () => nowMs,
    );
    assert.ok((await own()).has(PUBLIC.address));
    answer = () => Promise.reject(new Error("no name server answers"));
    nowMs += 31_000;
    assert.ok((await own()).has(PUBLIC.address));
    await setImmediate();
    assert.ok((await own()).has(PUBLIC.address), "a failed lookup forgets nothing");
    answer = () => new Promise(() => undefined);
    nowMs += 31_000;
    assert.ok((await own()).has(PUBLIC.address), "a lookup that hangs holds up nothing");
    answer = async () => [{ address: "93.184.215.15", family: 4 }];
    nowMs += 31_000;
    await own();
    await setImmediate();
    assert.ok((await own()).has("93.184.215.15"), "a new address is noticed");
    assert.ok(!(await own()).has(PUBLIC.address));
  });

  test("hold up no refusal of a private address", async () => {
    const hangs = () => new Promise<never>(() => undefined);
    const policy = createTargetPolicy(
      { allowNetworks: [], allowLoopback: false, publicUrls: PUBLIC.publicUrls },
      hangs,
    );
    assert.deepEqual(await findAddresses(new URL("http://10.0.0.1/"), policy), { kind: "refused" });
  });
});
