/** User alerts: which of the wallets with new events meet their conditions. */
import { ALERT_LIMITS } from "../../contract/alerts.ts";
import type { Reader, Tx } from "../../control/store.ts";
import { HOUR_MS } from "../../lib/time.ts";
import { type ProfileAnswer, readProfiles } from "../../profiles/search.ts";
import { meets } from "../conditions.ts";
import { heldByProfile } from "./held-by-profile.ts";
import type { EventReader } from "./new-events.ts";
import type { Match, MinuteRead } from "./read-minute.ts";
import type { ReadyAlert } from "./ready-alert.ts";

const QUIET_MS = ALERT_LIMITS.walletHours * HOUR_MS;
/** Profiles of one read. */
const PROFILES_AT_ONCE = 200;

export interface WalletMatch {
  readonly address: string;
  readonly match: Match;
  readonly profile: ProfileAnswer;
  /** When the alert last told about it; 0 for never. */
  readonly lastMs: number;
}

/** Wallets that were told about within a day are not read. */
export async function findWallets(
  deps: { db: Reader; engine: EventReader },
  projectId: string,
  { wallets }: Pick<MinuteRead, "wallets">,
  { nowMs, signal }: { nowMs: number; signal: AbortSignal },
): Promise<Map<ReadyAlert, WalletMatch[]>> {
  const open = new Map<ReadyAlert, Map<string, { match: Match; lastMs: number }>>();
  for (const [ready, seen] of wallets) {
    const last = await readTold(deps.db, ready.alert.id, [...seen.keys()]);
    const due = [...seen].flatMap(([address, match]) => {
      const lastMs = last.get(address) ?? 0;
      return isDue(lastMs, nowMs) ? [[address, { match, lastMs }] as const] : [];
    });
    open.set(ready, new Map(due));
  }
  const addresses = [...new Set([...open.values()].flatMap((due) => [...due.keys()]))];
  const found = new Map<ReadyAlert, WalletMatch[]>();
  for (let at = 0; at < addresses.length; at += PROFILES_AT_ONCE) {
    const some = addresses.slice(at, at + PROFILES_AT_ONCE);
    const profiles = await readProfiles(deps.engine, projectId, some, { nowMs, signal });
    for (const profile of profiles) addMatches(found, open, profile);
  }
  return found;
}

function addMatches(
  found: Map<ReadyAlert, WalletMatch[]>,
  open: ReadonlyMap<ReadyAlert, ReadonlyMap<string, { match: Match; lastMs: number }>>,
  profile: ProfileAnswer,
): void {
  const { address } = profile;
  for (const [ready, due] of open) {
    const one = due.get(address);
    if (one === undefined || !meets(ready.conditions, heldByProfile(profile))) continue;
    const list = found.get(ready) ?? [];
    found.set(ready, list);
    list.push({ address, profile, ...one });
  }
}

/** A time in the future was written before a clock was set back. */
function isDue(lastMs: number, nowMs: number): boolean {
  return nowMs - lastMs >= QUIET_MS || lastMs > nowMs;
}

async function readTold(db: Reader, alertId: string, addresses: readonly string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (let at = 0; at < addresses.length; at += PROFILES_AT_ONCE) {
    const rows = await db
      .selectFrom("alert_wallets")
      .select(["address", "fired_at"])
      .where("alert_id", "=", alertId)
      .where("address", "in", addresses.slice(at, at + PROFILES_AT_ONCE))
      .execute();
    for (const { address, fired_at } of rows) found.set(address, Number(fired_at));
  }
  return found;
}

export async function writeTold(
  tx: Tx,
  { alert }: ReadyAlert,
  addresses: readonly string[],
  nowMs: number,
): Promise<void> {
  for (const address of addresses)
    await tx
      .insertInto("alert_wallets")
      .values({
        workspace_id: alert.workspaceId,
        project_id: alert.projectId,
        alert_id: alert.id,
        address,
        fired_at: nowMs,
      })
      .onConflict((conflict) => conflict.columns(["alert_id", "address"]).doUpdateSet({ fired_at: nowMs }))
      .execute();
}
