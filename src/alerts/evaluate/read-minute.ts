/**
 * Reads what is new in one minute of receipt of one project, page by page, for all of its alerts. A page is a turn:
 * between two pages other projects have theirs.
 */
import { createAlertIndex } from "./alert-index.ts";
import { type SeenMinute, seenOf } from "./memory.ts";
import { type EventReader, type NewEvent, type Place, readPage } from "./new-events.ts";
import { isImported, matchesEvent, type ReadyAlert } from "./ready-alert.ts";

/** An event has 300 bytes of what conditions read: a page has 1.5 MB. */
const PAGE_EVENTS = 5_000;
/** Keys of matches that are kept, of each alert: the others are only counted. */
const MOST_MATCHES = 1_000;

/** When the last event of a wallet was received, of its own and of imported ones; 0 for none. Once for all alerts. */
export interface SeenWallet {
  ownMs: number;
  importedMs: number;
}

export interface Matches {
  count: number;
  /** Keys. */
  readonly first: string[];
}

export interface MinuteRead {
  /** True: the whole minute was looked at, also what was looked at before. */
  readonly isWhole: boolean;
  readonly looked: number;
  /** By alert. */
  readonly matches: ReadonlyMap<ReadyAlert, Matches>;
  /** Wallets with new events, by address; empty without user alerts. */
  readonly wallets: ReadonlyMap<string, SeenWallet>;
  /** What memory keeps once this is committed. */
  readonly seen: SeenMinute;
}

export interface MinuteQuestion {
  readonly projectId: string;
  readonly minuteMs: number;
  /** As the ledger says. */
  readonly events: number;
  readonly alerts: readonly ReadyAlert[];
  readonly withoutBots: boolean;
  readonly known: SeenMinute | undefined;
}

/** Each `next` reads a page; the last one returns the result. */
export async function* readMinute(
  engine: EventReader,
  question: MinuteQuestion,
  signal: AbortSignal,
): AsyncGenerator<undefined, MinuteRead> {
  const { known } = question;
  const rest = yield* readFrom(engine, question, known, signal);
  const { before, surplus } = known ?? { before: 0, surplus: 0 };
  if (known === undefined || before + rest.keys.size + surplus >= question.events) return toRead(question, known, rest);
  // Something came far out of order: the whole minute tells what.
  return toRead(question, undefined, yield* readFrom(engine, question, undefined, signal));
}

type Found = Pick<MinuteRead, "matches" | "wallets" | "looked"> & { readonly keys: ReadonlyMap<string, number> };

async function* readFrom(
  engine: EventReader,
  question: MinuteQuestion,
  known: SeenMinute | undefined,
  signal: AbortSignal,
): AsyncGenerator<undefined, Found> {
  const found = collect(question);
  const keys = new Map(known?.keys);
  let looked = 0;
  let after: Place = { ms: known?.floorMs ?? question.minuteMs, key: "0" };
  for (let isLast = false; !isLast; ) {
    const page = await readPage(engine, question, { after, limit: PAGE_EVENTS }, signal);
    for (const event of page) {
      if (keys.has(event.event_key)) continue;
      keys.set(event.event_key, event.received_ms);
      looked += 1;
      found.look(event);
    }
    const last = page.at(-1);
    isLast = page.length < PAGE_EVENTS || last === undefined;
    if (last !== undefined) after = { ms: last.received_ms, key: last.event_key };
    if (!isLast) yield;
  }
  return { keys, looked, matches: found.matches, wallets: found.wallets };
}

function toRead({ minuteMs, events }: MinuteQuestion, known: SeenMinute | undefined, found: Found): MinuteRead {
  const { keys, ...rest } = found;
  return {
    ...rest,
    isWhole: known === undefined,
    seen: seenOf(keys, { minuteMs, before: known?.before ?? 0, events }),
  };
}

function collect({ alerts, withoutBots }: MinuteQuestion) {
  const matches = new Map<ReadyAlert, Matches>();
  const wallets = new Map<string, SeenWallet>();
  const index = createAlertIndex(alerts.filter(({ alert }) => alert.trigger === "event"));
  const hasUserAlerts = alerts.some(({ alert }) => alert.trigger === "user");
  return {
    matches,
    wallets,
    look(event: NewEvent): void {
      if (withoutBots && event.device === "bot") return;
      if (hasUserAlerts && event.address !== "") addTo(wallets, event);
      for (const ready of index(event)) {
        if (!matchesEvent(ready, event)) continue;
        const ofAlert = matches.get(ready) ?? { count: 0, first: [] };
        matches.set(ready, ofAlert);
        ofAlert.count += 1;
        if (ofAlert.first.length < MOST_MATCHES) ofAlert.first.push(event.event_key);
      }
    },
  };
}

function addTo(wallets: Map<string, SeenWallet>, event: NewEvent): void {
  const seen = wallets.get(event.address) ?? { ownMs: 0, importedMs: 0 };
  wallets.set(event.address, seen);
  const which = isImported(event) ? "importedMs" : "ownMs";
  seen[which] = Math.max(seen[which], event.received_ms);
}
