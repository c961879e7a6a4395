import type { RateLimiter, RatePolicy } from "../control/rate-limit.ts";
import type { ControlStore } from "../control/store.ts";
import { tolerate } from "../lib/tolerate.ts";
import { recordAudit } from "./audit.ts";
import type { SignInMethod } from "./sessions.ts";
import type { Visit } from "./visit.ts";

export interface NoteDeps {
  store: ControlStore;
  signInLimits: { failureNotes: { limiter: RateLimiter; policy: RatePolicy } };
}

/**
 * Records an attempt that failed, for the admins of the account's workspaces; a limited number for each account. The
 * request does not wait for it: the time of an answer must not tell whether there is such an account.
 */
export function noteFailure(
  deps: NoteDeps,
  visit: Visit,
  user: { id: string; name: string } | undefined,
  action: "signInFailed" | "signInLocked",
  method: SignInMethod,
): void {
  if (user === undefined) return;
  const { limiter, policy } = deps.signInLimits.failureNotes;
  const note = async () => {
    if (!(await limiter.take(`${action} ${user.id}`, policy)).allowed) return;
    const entry = { userId: user.id, actor: user.name, action, target: user.id, details: { method } };
    await deps.store.write((tx) => recordAudit(tx, null, entry, visit.nowMs));
  };
  void tolerate(note(), visit.log, "a failed sign-in is refused also if it is not recorded");
}
