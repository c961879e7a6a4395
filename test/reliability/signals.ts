/**
 * The signals that a service lives through without losing anything: used by the suite once, by `npm run chaos:signals`
 * many times.
 */
import assert from "node:assert/strict";
import { runChaos } from "../support/chaos.ts";
import { assertNothingLost, runDeliveryChaos } from "../support/chaos-webhooks.ts";

interface Options {
  seed: number;
  cycles: number;
  /** How long a sender of events rests after a batch. */
  restMs?: number;
  say: (line: string) => void;
}

/** SIGTERM under load, again and again: it exits with 0, and what was acknowledged is there after the next start. */
export async function stopUnderLoad(options: Options): Promise<void> {
  assertCounted(await runChaos({ ...options, victim: "service", signal: "SIGTERM" }), options);
}

export async function freezeUnderLoad(options: Options & { frozenMs: number }): Promise<void> {
  assertCounted(await runChaos({ ...options, victim: "service", signal: "SIGSTOP" }), options);
}

export async function freezeDeliveries(options: Options & { frozenMs: number }): Promise<void> {
  const result = await runDeliveryChaos({ ...options, backend: "sqlite" });
  options.say(JSON.stringify(result));
  assertNothingLost(result);
}

function assertCounted(result: Awaited<ReturnType<typeof runChaos>>, { say }: Options): void {
  say(JSON.stringify(result));
  const { acknowledged, stored, ...bad } = result;
  assert.deepEqual(bad, { lost: 0, doubled: 0, unexpected: 0, miscounted: 0, rejected: 0 });
  assert.ok(acknowledged > 0 && stored >= acknowledged);
}
