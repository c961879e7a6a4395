import assert from "node:assert/strict";
import type { LookupLike } from "../../src/webhooks/resolve-name.ts";
import {
  type AttemptOutcome,
  type AttemptRequest,
  createSender,
  type Sender,
  type SenderDeps,
} from "../../src/webhooks/send.ts";

export const SENDER_NOW_MS = Date.parse("2026-03-10T12:00:00Z");

/** Names without a network: an unlisted name has no address. */
export function fakeLookup(names: Record<string, readonly string[] | "absent" | "hangs">): LookupLike {
  return async (name) => {
    const answers = names[name] ?? "absent";
    if (answers === "hangs") return new Promise(() => undefined);
    if (answers === "absent") throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
    return answers.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
}

/** A sender that may reach loopback targets and uses no real resolver. */
export function openSender(deps: Partial<SenderDeps> = {}): Sender {
  return createSender({
    allowNetworks: [],
    allowLoopback: true,
    lookup: fakeLookup({}),
    clock: { nowMs: () => SENDER_NOW_MS },
    version: "1.2.3",
    ...deps,
  });
}

export function post(url: string, deadlineMs = 10_000): AttemptRequest {
  return { url, headers: { "content-type": "application/json" }, body: '{"a":"é"}', deadlineMs };
}

type Timeless<T> = T extends unknown ? Omit<T, "durationMs"> : never;
export type Outcome = Timeless<AttemptOutcome>;

/** The outcome without the part that depends on the machine. */
export function withoutTime({ durationMs, ...outcome }: AttemptOutcome): Outcome {
  assert.ok(durationMs >= 0 && Number.isInteger(durationMs));
  return outcome;
}

export const failed = (reason: Extract<AttemptOutcome, { kind: "failed" }>["reason"]): Outcome => ({
  kind: "failed",
  reason,
});
