import { describe, test } from "node:test";
import { IS_LONG, SEED } from "../../src/lib/testing.ts";
import { assertToldOnce, runAlertChaos } from "../support/chaos-alerts.ts";

const KILLS = IS_LONG ? 10 : 2;

describe("kill -9 of a service whose alerts fire", () => {
  test(`${KILLS} times at random moments: every match is told, and none under two ids`, {
    timeout: 600_000,
  }, async (t) => {
    const result = await runAlertChaos({ seed: SEED, cycles: KILLS, say: (line) => t.diagnostic(line) });
    t.diagnostic(JSON.stringify(result));
    assertToldOnce(result);
  });
});
