/** Event alerts: which of the matches of a minute are new, and the firings of the first of them. */
import { ALERT_LIMITS } from "../../contract/alerts.ts";
import type { Reader } from "../../control/store.ts";
import { firingId } from "../firing-id.ts";
import { eventMessage, type PageUrl } from "../messages.ts";
import { readCounts } from "./looked-at.ts";
import { type EventReader, readItems } from "./new-events.ts";
import { type At, inParts, type MakePlan, type Planned } from "./plan.ts";
import type { Matches, MinuteQuestion, MinuteRead } from "./read-minute.ts";
import type { ReadyAlert } from "./ready-alert.ts";

/** Alerts of one transaction: 25 messages to ten targets each are 5,000 deliveries, and 500 whole events in memory. */
const ALERTS_AT_ONCE = 20;

interface PlanDeps {
  db: Reader;
  engine: EventReader;
  pageUrl: PageUrl;
}

export function planEvents(deps: PlanDeps, question: MinuteQuestion, read: MinuteRead, at: At): MakePlan[] {
  return inParts([...read.matches], ALERTS_AT_ONCE).map(
    (part) => () => planPart(deps, question, { isWhole: read.isWhole, part }, at),
  );
}

async function planPart(
  { db, engine, pageUrl }: PlanDeps,
  question: MinuteQuestion,
  { isWhole, part }: { isWhole: boolean; part: readonly (readonly [ReadyAlert, Matches])[] },
  { nowMs, signal }: At,
): Promise<Planned> {
  const ids = part.map(([{ alert }]) => alert.id);
  const told = await readCounts(db, ids, question.minuteMs);
  const counts = [];
  const chosen: { ready: ReadyAlert; news: number; first: readonly string[] }[] = [];
  for (const [ready, { count, first }] of part) {
    const known = told.get(ready.alert.id) ?? 0;
    const news = isWhole ? Math.max(0, count - known) : count;
    if (news === 0) continue;
    counts.push({ alertId: ready.alert.id, matches: known + news });
    const unsent = isWhole && known > 0 ? await withoutFired(db, ready, first) : first;
    chosen.push({ ready, news, first: unsent.slice(0, Math.min(news, ALERT_LIMITS.items)) });
  }
  const keys = [...new Set(chosen.flatMap(({ first }) => first))];
  const items = await readItems(engine, question, keys, signal);
  const plans = chosen.map(({ ready, news, first }) => ({
    ready,
    news,
    addresses: [],
    firings: first.flatMap((key) => {
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
async function withoutFired(db: Reader, ready: ReadyAlert, keys: readonly string[]): Promise<string[]> {
  const ids = keys.map((key) => eventFiringId(ready, key));
  const rows = await db.selectFrom("alert_firings").select("id").where("id", "in", ids).execute();
  const fired = new Set(rows.map(({ id }) => id));
  return keys.filter((_, at) => !fired.has(ids[at] ?? ""));
}

const SHOWN = ["message_id", "type", "event", "address", "user_id", "timestamp"] as const;

function eventDetails(item: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(SHOWN.flatMap((name) => (item[name] ? [[name, item[name]]] : [])));
}
