/** Erases a wallet, and says what is left. */
import type { AnalyticsEngine, Erased } from "../engines/port.ts";
import { newId } from "../lib/ids.ts";

/** What an erasure does not reach, for the person who must answer for it. */
const REMAINING = [
  "Backups that were taken before: the next one no longer has the wallet.",
  "Events that were accepted and not yet stored, and events that arrive later: erase again after the SDKs have stopped.",
  "Events of visitors that also used another wallet, where they do not name this one.",
  "Submissions of forms; deliveries of webhooks and firings of alerts for 30 days.",
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
    const erased = await maintenance.eraseWallet({ projectId, address, receipt: id }, signal);
    return { id, erased_at: new Date(nowMs).toISOString(), ...erased, remaining: REMAINING };
  };
}
