/** User alerts: which of the wallets with new events meet their conditions. */
import { ALERT_LIMITS } from "../../contract/alerts.ts";
import type { Reader, Tx } from "../../control/store.ts";
import { dayOf, HOUR_MS } from "../../lib/time.ts";
import { type ProfileAnswer, readProfiles } from "../../profiles/search.ts";
import { meets } from "../conditions.ts";
import { firingId } from "../firing-id.ts";
import { type PageUrl, userMessage, walletUrl } from "../messages.ts";
import type { Firing } from "../record-firing.ts";
import { heldByProfile } from "./held-by-profile.ts";
import type { EventReader } from "./new-events.ts";
import { type At, inParts, type MakePlan, type Plan, type Planned } from "./plan.ts";
import type { MinuteQuestion, MinuteRead, SeenWallet } from "./read-minute.ts";
import type { ReadyAlert } from "./ready-alert.ts";

const QUIET_MS = ALERT_LIMITS.walletHours * HOUR_MS;
/** Wallets of one read of profiles and of one transaction: other projects have a turn after it. */
const WALLETS_AT_ONCE = 200;

interface PlanDeps {
  db: Reader;
  engine: EventReader;
  pageUrl: PageUrl;
}

interface WalletMatch {
  readonly address: string;
  readonly profile: ProfileAnswer;
  /** When the alert last told about it; 0 for not in the last days. */
  readonly lastMs: number;
}

export function planWallets(deps: PlanDeps, question: MinuteQuestion, { wallets }: MinuteRead, at: At): MakePlan[] {
  const alerts = question.alerts.filter(({ alert }) => alert.trigger === "user");
  return inParts([...wallets], WALLETS_AT_ONCE).map((part) => () => planPart(deps, question, { alerts, part }, at));
}

type Part = readonly (readonly [address: string, seen: SeenWallet])[];

async function planPart(
  { db, engine, pageUrl }: PlanDeps,
  { projectId, minuteMs }: MinuteQuestion,
  { alerts, part }: { alerts: readonly ReadyAlert[]; part: Part },
  { nowMs, signal }: At,
): Promise<Planned> {
  const due = await findDue(db, { alerts, part }, nowMs);
  const addresses = [...new Set([...due.values()].flatMap((ofAlert) => [...ofAlert.keys()]))];
  if (addresses.length === 0) return { plans: [], counts: [] };
  const profiles = await readProfiles(engine, projectId, addresses, { nowMs, signal });
  const plans = [...due].flatMap(([ready, ofAlert]): Plan[] => {
    const found = profiles.flatMap((profile): WalletMatch[] => {
      const { address } = profile;
      const lastMs = ofAlert.get(address);
      return lastMs !== undefined && meets(ready.conditions, heldByProfile(profile))
        ? [{ address, profile, lastMs }]
        : [];
    });
    if (found.length === 0) return [];
    const told = found.slice(0, ALERT_LIMITS.items);
    const firings = told.map((wallet) => toFiring(ready, wallet, { minuteMs, nowMs, pageUrl }));
    return [{ ready, news: found.length, addresses: found.map(({ address }) => address), firings }];
  });
  return { plans, counts: [] };
}

/** By alert the wallets that it looks at, and when it told about each: not those of the last day. */
async function findDue(
  db: Reader,
  { alerts, part }: { alerts: readonly ReadyAlert[]; part: Part },
  nowMs: number,
): Promise<Map<ReadyAlert, Map<string, number>>> {
  const ids = alerts.map(({ alert }) => alert.id);
  const told = await readTold(
    db,
    ids,
    part.map(([address]) => address),
  );
  return new Map(
    alerts.map((ready) => {
      const due = part.flatMap(([address, seen]) => {
        const lastMs = told.get(`${ready.alert.id} ${address}`) ?? 0;
        return hasNewEvents(ready, seen) && isDue(lastMs, nowMs) ? [[address, lastMs] as const] : [];
      });
      return [ready, new Map(due)];
    }),
  );
}

function hasNewEvents({ alert }: ReadyAlert, { ownMs, importedMs }: SeenWallet): boolean {
  return ownMs >= alert.activeSinceMs || (alert.includeImported && importedMs >= alert.activeSinceMs);
}

/** A time in the future was written before a clock was set back. */
function isDue(lastMs: number, nowMs: number): boolean {
  return nowMs - lastMs >= QUIET_MS || lastMs > nowMs;
}

function toFiring(
  { alert }: ReadyAlert,
  { address, profile, lastMs }: WalletMatch,
  { minuteMs, nowMs, pageUrl }: { minuteMs: number; nowMs: number; pageUrl: PageUrl },
): Firing {
  // The time of the last telling is erased after two days, and the firing stays for 30: the day tells the next one apart.
  const since = lastMs === 0 ? dayOf(minuteMs) : String(lastMs);
  const id = firingId(alert.id, "user", address, since);
  const url = walletUrl(pageUrl, alert.projectId, address);
  const item = { ...profile, ...(url === undefined ? {} : { profile_url: url }) };
  const message = userMessage(alert, id, item, nowMs, pageUrl);
  const { lifecycle, revenue, volume } = profile;
  return { id, kind: "user", count: 1, details: { address, lifecycle, revenue, volume }, message };
}

/** By `<alert> <wallet>`. */
async function readTold(
  db: Reader,
  alertIds: readonly string[],
  addresses: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("alert_wallets")
    .select(["alert_id", "address", "fired_at"])
    .where("alert_id", "in", alertIds)
    .where("address", "in", addresses)
    .execute();
  return new Map(rows.map(({ alert_id, address, fired_at }) => [`${alert_id} ${address}`, Number(fired_at)]));
}

/** At most as many as one plan has: WALLETS_AT_ONCE. */
export async function writeTold(
  tx: Tx,
  { alert }: ReadyAlert,
  addresses: readonly string[],
  nowMs: number,
): Promise<void> {
  if (addresses.length === 0) return;
  const { workspaceId, projectId, id } = alert;
  const owned = { workspace_id: workspaceId, project_id: projectId, alert_id: id, fired_at: nowMs };
  await tx
    .insertInto("alert_wallets")
    .values(addresses.map((address) => ({ ...owned, address })))
    .onConflict((conflict) => conflict.columns(["alert_id", "address"]).doUpdateSet({ fired_at: nowMs }))
    .execute();
}
