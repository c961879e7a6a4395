import { describe, test } from "node:test";
import { SEED } from "../../src/lib/testing.ts";
import { freezeDeliveries, freezeUnderLoad, stopUnderLoad } from "./signals.ts";

/** `npm run chaos:signals` freezes for a minute, which is longer than a lease and an attempt. */
const FROZEN_MS = 5_000;
const REST_MS = 10;

describe("a service that gets a signal while events are sent", () => {
  test(
    "SIGTERM: it exits with 0, and every acknowledged event is there once after the next start",
    {
      timeout: 240_000,
    },
    (t) => stopUnderLoad({ seed: SEED, cycles: 1, restMs: REST_MS, say: (line) => t.diagnostic(line) }),
  );

  test("SIGSTOP and SIGCONT: no event is rejected, lost or counted twice", { timeout: 240_000 }, (t) =>
    freezeUnderLoad({ seed: SEED, cycles: 1, restMs: REST_MS, frozenMs: FROZEN_MS, say: (line) => t.diagnostic(line) }),
  );

  test(
    "SIGSTOP and SIGCONT: every submission is delivered, and repeated only where the freeze cut an attempt",
    {
      timeout: 240_000,
    },
    (t) => freezeDeliveries({ seed: SEED, cycles: 1, frozenMs: FROZEN_MS, say: (line) => t.diagnostic(line) }),
  );
});
