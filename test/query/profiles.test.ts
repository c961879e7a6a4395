import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { IS_LONG, SEED } from "../../src/lib/testing.ts";
import { BOTH_IN_LONG } from "../support/both-engines.ts";
import { whyClickHouseLacks } from "../support/platform.ts";
import { compareProfiles, NOW_MS, type ProfileComparison } from "./compare-profiles.ts";

/**
 * Twelve days are materialized again and again, half a minute for the wallets of a set: a short run takes three of them.
 * `npm run property:profiles` compares as many wallets as one wants.
 */
const SHORT = { wallets: 5, events: 100, days: 3, isOfOne: true } as const;
const LONG = { wallets: 100, events: 500 } as const;
/** An emulated ClickHouse takes ten seconds for a statement, and as long for each of the others of a partition. */
const EMULATED = {
  wallets: 5,
  events: 50,
  days: 3,
  isOfOne: true,
  states: ["all partitions dirty", "the first partitions clean", "after some late events"],
} as const;

function sizeOf(
  name: string,
): Pick<ProfileComparison, "events" | "days" | "states" | "isOfOne"> & { readonly wallets: number } {
  if (name === "ClickHouse" && whyClickHouseLacks("concurrency") !== undefined) return EMULATED;
  return IS_LONG ? LONG : SHORT;
}

for (const { name, skip, start } of BOTH_IN_LONG) {
  const { wallets, ...size } = sizeOf(name);
  const counted = name === "DuckDB" ? "stored first" : "received first";
  describe(`profiles on ${name}`, { skip }, () => {
    test(`are those of the definition, whatever arrives when and whichever partitions are clean: ${wallets} wallets`, {
      timeout: 3_600_000,
    }, async () => {
      let compared = 0;
      for (let seed = SEED; compared < wallets; seed += 1) {
        const { engine, stop } = await start({ nowMs: () => NOW_MS });
        try {
          compared += await compareProfiles(engine, { seed, counted, ...size });
        } finally {
          await stop();
        }
      }
      assert.ok(compared >= wallets);
    });
  });
}
