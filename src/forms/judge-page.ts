import type { PageTokens } from "./page-token.ts";
import type { SpamReason } from "./submissions.ts";

/** Robots post within milliseconds; a person who only ticks one box takes longer than this. */
const LEAST_MS = 1_000;

/** Whether a posted page is taken, and how. `unknown`: it carries no token of ours. */
export type Judgement =
  | { kind: "take"; tokenHash: string; spam: SpamReason | null }
  | { kind: "again"; why: "unknown" | "expired" };

/** `trap` is the input that people do not see. Suspects are not told: whoever sends spam would only learn from it. */
export function judgePage(
  tokens: PageTokens,
  formId: string,
  sent: { token: string; trap: string },
  nowMs: number,
): Judgement {
  const token = tokens.read(formId, sent.token, nowMs);
  if (token.kind === "forged") return { kind: "again", why: "unknown" };
  if (token.kind === "expired") return { kind: "again", why: "expired" };
  const spam = sent.trap !== "" ? "honeypot" : token.ageMs < LEAST_MS ? "too_fast" : null;
  return { kind: "take", tokenHash: token.hash, spam };
}
