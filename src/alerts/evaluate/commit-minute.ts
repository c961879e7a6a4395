/**
 * Commits what a minute of receipt has brought: the cursor, the firings and their deliveries in one transaction, or
 * nothing of it. What is new follows from the rows of the control store, so that a minute that is read again after a
 * crash, or because of a late event, tells nothing twice.
 */
import { ALERT_LIMITS } from "../../contract/alerts.ts";
import type { ControlStore, Reader, Tx } from "../../control/store.ts";
import { lockRecipients } from "../../webhooks/recipients.ts";
import { firingId } from "../firing-id.ts";
import { eventMessage, type PageUrl, userMessage, walletUrl } from "../messages.ts";
import { type Firing, recordFiring } from "../record-firing.ts";
import { readCounts, takeVersion, writeCounts, writeMinute } from "./looked-at.ts";
import { type EventReader, readItems } from "./new-events.ts";
import type { Match, MinuteQuestion, MinuteRead } from "./read-minute.ts";
import type { ReadyAlert } from "./ready-alert.ts";
import { admit, lockStorm, STORM_MS, tellCount, writeStorm } from "./storms.ts";
import { findWallets, type WalletMatch, writeTold } from "./wallets.ts";

export interface CommitDeps {
  store: ControlStore;
  engine: EventReader;
  pageUrl: PageUrl;
}

export interface Committed {
  /** Undefined: somebody else was faster, and nothing was written. */
  readonly version: number | undefined;
  readonly fired: readonly { kind: "event" | "user"; count: number }[];
}

/** The new matches of an alert, and firings for the first of them. */
interface Plan {
  readonly ready: ReadyAlert;
  readonly news: number;
  readonly firings: readonly Firing[];
  /** Of the wallets of a user alert. */
  readonly addresses: readonly string[];
}

export async function commitMinute(
  deps: CommitDeps,
  workspaceId: string,
  question: MinuteQuestion,
  read: MinuteRead,
  { version, nowMs, signal }: { version: number; nowMs: number; signal: AbortSignal },
): Promise<Committed> {
  const { projectId, minuteMs, events } = question;
  const { plans, counts } = await planEvents(deps, question, read, { nowMs, signal });
  plans.push(...(await planWallets(deps, question, read, { nowMs, signal })));
  const isTaken = await deps.store.write(async (tx) => {
    const owned = { workspaceId, projectId };
    if (!(await takeVersion(tx, owned, version))) return false;
    await writeMinute(tx, owned, { minuteMs, events });
    await writeCounts(tx, owned, minuteMs, counts);
    const ids = plans.map(({ ready }) => ready.alert.id);
    await lockRecipients(tx, deps.store.backend, workspaceId, { kind: "alert", ids });
    for (const plan of plans) await fire(tx, plan, nowMs, deps.pageUrl);
    return true;
  });
  if (!isTaken) return { version: undefined, fired: [] };
  const fired = plans.map(({ ready, news }) => ({ kind: ready.alert.trigger as "event" | "user", count: news }));
  return { version: version + 1, fired };
}

async function fire(tx: Tx, { ready, news, firings, addresses }: Plan, nowMs: number, pageUrl: PageUrl): Promise<void> {
  const { alert } = ready;
  const before = await lockStorm(tx, alert.id);
  if (before === undefined) return;
  if (nowMs - before.atMs >= STORM_MS) await tellCount(tx, alert, { storm: before, nowMs, pageUrl });
  const { storm, items } = admit(before, news, nowMs);
  await writeStorm(tx, alert.id, storm);
  for (const firing of firings.slice(0, items)) await recordFiring(tx, alert, firing, nowMs);
  await writeTold(tx, ready, addresses, nowMs);
}

interface At {
  nowMs: number;
  signal: AbortSignal;
}

/** Nothing of it is written: the version of the cursor says whether it still holds. */
async function planEvents(
  { store, engine, pageUrl }: CommitDeps,
  question: MinuteQuestion,
  { isWhole, matches }: MinuteRead,
  { nowMs, signal }: At,
): Promise<{ plans: Plan[]; counts: { alertId: string; matches: number }[] }> {
  const ids = [...matches.keys()].map(({ alert }) => alert.id);
  const told = await readCounts(store.read, ids, question.minuteMs);
  const counts = [];
  const chosen: { ready: ReadyAlert; news: number; first: readonly Match[] }[] = [];
  for (const [ready, { count, first }] of matches) {
    const known = told.get(ready.alert.id) ?? 0;
    const news = isWhole ? Math.max(0, count - known) : count;
    if (news === 0) continue;
    counts.push({ alertId: ready.alert.id, matches: known + news });
    const unsent = isWhole && known > 0 ? await withoutFired(store.read, ready, first) : first;
    chosen.push({ ready, news, first: unsent.slice(0, Math.min(news, ALERT_LIMITS.items)) });
  }
  const keys = [...new Set(chosen.flatMap(({ first }) => first.map(({ key }) => key)))];
  const items = await readItems(engine, question, keys, signal);
  const plans = chosen.map(({ ready, news, first }) => ({
    ready,
    news,
    addresses: [],
    firings: first.flatMap(({ key }) => {
      const item = items.get(key);
      // Removed since it was looked at, as the events of an erased wallet.
      if (item === undefined) return [];
      const id = eventFiringId(ready, key);
      const message = eventMessage(ready.alert, id, item, nowMs, pageUrl);
      return [{ id, kind: "event" as const, count: 1, details: eventDetails(item), message }];
    }),
  }));
  return { plans, counts };
}

function eventFiringId({ alert }: ReadyAlert, key: string): string {
  return firingId(alert.id, "event", key);
}

/** Of a minute that is read again. */
async function withoutFired(db: Reader, ready: ReadyAlert, matches: readonly Match[]): Promise<Match[]> {
  const ids = matches.map(({ key }) => eventFiringId(ready, key));
  const rows = await db.selectFrom("alert_firings").select("id").where("id", "in", ids).execute();
  const fired = new Set(rows.map(({ id }) => id));
  return matches.filter((_, at) => !fired.has(ids[at] ?? ""));
}

const SHOWN = ["message_id", "type", "event", "address", "user_id", "timestamp"] as const;

function eventDetails(item: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(SHOWN.flatMap((name) => (item[name] ? [[name, item[name]]] : [])));
}

async function planWallets(
  { store, engine, pageUrl }: CommitDeps,
  { projectId }: MinuteQuestion,
  read: MinuteRead,
  at: At,
): Promise<Plan[]> {
  if (read.wallets.size === 0) return [];
  const found = await findWallets({ db: store.read, engine }, projectId, read, at);
  return [...found].map(([ready, wallets]) => ({
    ready,
    news: wallets.length,
    addresses: wallets.map(({ address }) => address),
    firings: wallets.slice(0, ALERT_LIMITS.items).map((wallet) => walletFiring(ready, wallet, at.nowMs, pageUrl)),
  }));
}

function walletFiring({ alert }: ReadyAlert, wallet: WalletMatch, nowMs: number, pageUrl: PageUrl): Firing {
  const { address, profile, lastMs } = wallet;
  const id = firingId(alert.id, "user", address, String(lastMs));
  const url = walletUrl(pageUrl, alert.projectId, address);
  const item = { ...profile, ...(url === undefined ? {} : { profile_url: url }) };
  const message = userMessage(alert, id, item, nowMs, pageUrl);
  const { lifecycle, revenue, volume } = profile;
  return { id, kind: "user", count: 1, details: { address, lifecycle, revenue, volume }, message };
}
