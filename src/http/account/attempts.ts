import { createHash } from "node:crypto";
import { ApiError } from "../../contract/errors.ts";
import { rateHeaders } from "../rate-limit.ts";
import type { AccountDeps, AccountRequest } from "./deps.ts";

/** Counts an attempt for an account, by the name or id that was sent. Throws 429 when there were too many. */
export async function takeAttempt({ limits }: AccountDeps, { client }: AccountRequest, account: string): Promise<void> {
  const name = account.normalize("NFKC").trim().toLowerCase();
  // Hashed: any text may be sent as a name, and the store keeps it.
  const subject = `sign-in ${createHash("sha256").update(name).digest("base64url")}`;
  const pair = limits.perAccountAndAddress;
  for (const verdict of [
    await pair.limiter.take(`${subject} ${client}`, pair.policy),
    await limits.perAccount.limiter.take(subject, limits.perAccount.policy),
  ])
    if (!verdict.allowed)
      throw new ApiError("TOO_MANY_REQUESTS", "Too many attempts to sign in; wait a moment", {
        headers: rateHeaders(verdict),
      });
}
