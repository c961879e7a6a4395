import type { PageTokens } from "./page-token.ts";
import type { SpamReason } from "./submissions.ts";

/** Robots post within milliseconds; a person who only ticks one box takes longer than a second. */
const LEAST_MS = 1_000;

/** Whether a posted page is accepted. `unknown`: its token was not issued here. */
export type Judgement =
  | { kind: "take"; tokenHash: string; spam: SpamReason | null }
  | { kind: "again"; why: "unknown" | "expired" };

/**
 * `trap` is the honeypot input, invisible to people. The answer does not reveal the suspicion: a spammer would learn
 * from it.
 */
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
