/** Erases a wallet, and says what is left. */
import { findAddress, findAnyAddress } from "../contract/addresses.ts";
import type { Erased } from "../engines/maintenance.ts";
import type { AnalyticsEngine } from "../engines/port.ts";
import { newId } from "../lib/ids.ts";
import type { ProfileEngine } from "../query/profiles/ask-profiles.ts";
import { isSeen } from "../query/profiles/select-profiles.ts";

/** What an erasure does not reach, for the person who must answer for it. */
const REMAINING = [
  "Backups that were taken before: the next one no longer has the wallet, unless it has the log of the last hour.",
  "Events that were accepted and not yet stored, and events that arrive later: erase again after the SDKs have stopped.",
  "The log of accepted events, for an hour and until the next event comes.",
  "Events of visitors that also used another wallet, and of other wallets, also where a property or the URL of a page names this one.",
  "Answers to requests with an Idempotency-Key, for 24 hours.",
  "Segments, charts and notes in which somebody wrote the address.",
  "Submissions of forms; deliveries of webhooks and mails, scheduled reports among them, and firings of alerts for 30 days.",
  "Files that were sent to be imported, until they are imported or for 7 days, and their refused rows for 30 days. An import of the same file brings the wallet back.",
  "Free space of the database file or unmerged parts, until it is written over.",
] as const;

interface Receipt extends Erased {
  readonly id: string;
  readonly erased_at: string;
  readonly remaining: readonly string[];
}

export interface Erasure {
  readonly address: string;
  /** It does not name the wallet: it may be kept. */
  readonly receipt: Receipt;
}

/** `wallet` is an EVM or Solana address, or what events of the project have as one. Undefined: it is neither. */
export type EraseWallet = (
  projectId: string,
  wallet: string,
  nowMs: number,
  signal: AbortSignal,
) => Promise<Erasure | undefined>;

/** `forget` is told which wallet is erased. */
export function createEraseWallet(
  engine: Pick<AnalyticsEngine, "maintenance" | "select" | "relations">,
  forget: (projectId: string, address: string) => void = () => undefined,
): EraseWallet {
  return async (projectId, wallet, nowMs, signal) => {
    const address = findAddress(wallet) ?? (await findSeen(engine, projectId, wallet, signal));
    if (address === undefined) return undefined;
    const erased = await engine.maintenance.eraseWallet({ projectId, address }, signal);
    forget(projectId, address);
    const receipt = { id: newId("ers"), erased_at: new Date(nowMs).toISOString(), ...erased, remaining: REMAINING };
    return { address, receipt };
  };
}

async function findSeen(
  engine: ProfileEngine,
  projectId: string,
  text: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const address = findAnyAddress(text);
  return address !== undefined && (await isSeen(engine, projectId, address, signal)) ? address : undefined;
}
