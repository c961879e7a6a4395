import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { IS_LONG, SEED } from "../../src/lib/testing.ts";
import { BOTH_IN_LONG } from "../support/both-engines.ts";
import { compareProfiles, NOW_MS } from "./compare-profiles.ts";

const WALLETS = IS_LONG ? 2_000 : 50;
const EVENTS = 400;

for (const { name, skip, start } of BOTH_IN_LONG)
  describe(`profiles on ${name}`, { skip }, () => {
    test(`are those of the definition, whatever arrives when and whichever partitions are clean: ${WALLETS} wallets`, {
      timeout: 3_600_000,
    }, async () => {
      const counted = name === "DuckDB" ? "stored first" : "received first";
      let wallets = 0;
      for (let seed = SEED; wallets < WALLETS; seed += 1) {
        const { engine, stop } = await start({ nowMs: () => NOW_MS });
        try {
          wallets += await compareProfiles(engine, { seed, events: EVENTS, counted });
        } finally {
          await stop();
        }
      }
      assert.ok(wallets >= WALLETS);
    });
  });
