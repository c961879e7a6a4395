/**
 * Reads what is new in one minute of receipt of one project, page by page, for all of its alerts. A page is a turn:
 * between two pages other projects have theirs.
 */
import type { SeenMinute } from "./memory.ts";
import { type EventReader, type NewEvent, type Place, readPage } from "./new-events.ts";
import { looksAt, matchesEvent, type ReadyAlert } from "./ready-alert.ts";

/** An event has 300 bytes of what conditions read: a page has 1.5 MB. */
const PAGE_EVENTS = 5_000;
/** Keys of matches that are kept, of each alert: the others are only counted. */
const MOST_MATCHES = 1_000;
/** An event may be stored after others that were received so much later. */
const OUT_OF_ORDER_MS = 5_000;

export interface Match {
  readonly key: string;
  readonly receivedMs: number;
}

export interface Matches {
  count: number;
  readonly first: Match[];
}

export interface MinuteRead {
  /** True: the whole minute was looked at, also what was looked at before. */
  readonly isWhole: boolean;
  readonly looked: number;
  /** By alert. */
  readonly matches: ReadonlyMap<ReadyAlert, Matches>;
  /** Wallets with new events, by user alert. */
  readonly wallets: ReadonlyMap<ReadyAlert, ReadonlyMap<string, Match>>;
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
  const { minuteMs, known } = question;
  const found = collect(question);
  const seen: SeenMinute = { keys: new Set(known?.keys), lastMs: known?.lastMs ?? minuteMs };
  const startMs = known === undefined ? minuteMs : Math.max(minuteMs, known.lastMs - OUT_OF_ORDER_MS);
  let looked = 0;
  // What came far out of order is found from the start of the minute, if the number says that there is more.
  for (const fromMs of startMs === minuteMs ? [minuteMs] : [startMs, minuteMs]) {
    let after: Place = { ms: fromMs, key: "0" };
    for (let isLast = false; !isLast; ) {
      const page = await readPage(engine, question, { after, limit: PAGE_EVENTS }, signal);
      for (const event of page) {
        if (seen.keys.has(event.event_key)) continue;
        seen.keys.add(event.event_key);
        seen.lastMs = Math.max(seen.lastMs, event.received_ms);
        looked += 1;
        found.look(event);
      }
      const last = page.at(-1);
      isLast = page.length < PAGE_EVENTS || last === undefined;
      if (last !== undefined) after = { ms: last.received_ms, key: last.event_key };
      if (!isLast) yield;
    }
    if (seen.keys.size >= question.events) break;
  }
  return { isWhole: known === undefined, looked, matches: found.matches, wallets: found.wallets, seen };
}

function collect({ alerts, withoutBots }: MinuteQuestion) {
  const matches = new Map<ReadyAlert, Matches>();
  const wallets = new Map<ReadyAlert, Map<string, Match>>();
  return {
    matches,
    wallets,
    look(event: NewEvent): void {
      if (withoutBots && event.device === "bot") return;
      const match = { key: event.event_key, receivedMs: event.received_ms };
      for (const ready of alerts) {
        if (ready.alert.trigger === "user") {
          if (event.address !== "" && looksAt(ready, event)) addTo(wallets, ready, event.address, match);
        } else if (matchesEvent(ready, event)) {
          const ofAlert = matches.get(ready) ?? { count: 0, first: [] };
          matches.set(ready, ofAlert);
          ofAlert.count += 1;
          if (ofAlert.first.length < MOST_MATCHES) ofAlert.first.push(match);
        }
      }
    },
  };
}

function addTo(wallets: Map<ReadyAlert, Map<string, Match>>, ready: ReadyAlert, address: string, match: Match): void {
  const known = wallets.get(ready) ?? new Map<string, Match>();
  wallets.set(ready, known);
  known.set(address, match);
}
