import { recordAudit } from "../../accounts/audit.ts";
import type { SignInMethod } from "../../accounts/sessions.ts";
import { tolerate } from "../../lib/tolerate.ts";
import type { AccountDeps, AccountRequest } from "./deps.ts";

/**
 * Records an attempt that failed, for the admins of the account's workspaces; a limited number for each account. The
 * request does not wait for it: the time of an answer must not tell whether there is such an account.
 */
export function noteFailure(
  deps: AccountDeps,
  request: AccountRequest,
  user: { id: string; name: string } | undefined,
  action: "signInFailed" | "signInLocked",
  method: SignInMethod,
): void {
  if (user === undefined) return;
  const { limiter, policy } = deps.limits.failureNotes;
  const note = async () => {
    if (!(await limiter.take(`${action} ${user.id}`, policy)).allowed) return;
    const entry = { userId: user.id, actor: user.name, action, target: user.id, details: { method } };
    await deps.store.write((tx) => recordAudit(tx, null, entry, request.nowMs));
  };
  void tolerate(note(), request.log, "a failed sign-in is refused also if it is not recorded");
}
