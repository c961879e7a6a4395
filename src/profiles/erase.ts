/** Erases a wallet, and says what is left. */
import type { AnalyticsEngine, Erased } from "../engines/port.ts";
import { newId } from "../lib/ids.ts";

/** What an erasure does not reach, for the person who must answer for it. */
const REMAINING = [
  "Backups that were taken before: the next one no longer has the wallet, unless it has the log of the last hour.",
  "Events that were accepted and not yet stored, and events that arrive later: erase again after the SDKs have stopped.",
  "The log of accepted events, for an hour and until the next event comes.",
  "Events of visitors that also used another wallet, and of other wallets, also where a property or the URL of a page names this one.",
  "Answers to requests with an Idempotency-Key, for 24 hours.",
  "Segments, charts and notes in which somebody wrote the address.",
  "Submissions of forms, and deliveries of webhooks for 30 days.",
  "Free space of the database file or unmerged parts, until it is written over.",
] as const;

export interface Receipt extends Erased {
  readonly id: string;
  readonly erased_at: string;
  readonly remaining: readonly string[];
}

export type EraseWallet = (projectId: string, address: string, nowMs: number, signal: AbortSignal) => Promise<Receipt>;

/** The receipt does not name the wallet: it may be kept. */
export function createEraseWallet({ maintenance }: Pick<AnalyticsEngine, "maintenance">): EraseWallet {
  return async (projectId, address, nowMs, signal) => {
    const id = newId("ers");
    const erased = await maintenance.eraseWallet({ projectId, address }, signal);
    return { id, erased_at: new Date(nowMs).toISOString(), ...erased, remaining: REMAINING };
  };
}
