import { clampTime, dayOf, findTime } from "../../lib/time.ts";
import type { Draft } from "../draft.ts";
import { type Park, park } from "../outcome.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Senders whose clock is trusted. The time of receipt corrects the clock of a visitor's device. */
const TRUSTED_CLOCKS: ReadonlySet<string> = new Set(["server", "api", "import"]);

/** No onchain event is older than the first such chain, and no working clock is ahead by more than a year. */
const FIRST_DAY_MS = Date.UTC(2015, 0, 1);
const FURTHEST_AHEAD_MS = 366 * DAY_MS;
/** The day of events that have no usable day of their own. */
const NO_DAY = "1970-01-01";

export function putTimes({ origin, raw, undated, row }: Draft): Park | undefined {
  const original = findTime(raw.original_timestamp);
  if (original === undefined) return park("bad_time", "original_timestamp: not a date and time");
  const sent = findTime(raw.sent_at);
  if (sent === undefined) return park("bad_time", "sent_at: not a date and time");
  const received = origin.receivedAtMs;
  row.original_timestamp = clampTime(original);
  row.sent_at = clampTime(sent);
  row.timestamp = clampTime(TRUSTED_CLOCKS.has(row.channel) ? original : correctedTime(original, sent, received));
  row.day = undated ? NO_DAY : keyDay(original, received);
  return undefined;
}

/**
 * Subtracts the event's age by the client's clock from our time of receipt. An old time is a backfill. A time more than
 * an hour ahead is an error and becomes the time of receipt.
 */
function correctedTime(original: number, sent: number, received: number): number {
  const corrected = received - (sent - original);
  return corrected > received + HOUR_MS ? received : corrected;
}

/**
 * The day in the dedupe key. It must be the same when a client sends an event again, so it follows the client's own
 * time: `timestamp` depends on `sent_at` and on the time of receipt, and a retry after midnight would be another event.
 * All days that no working clock shows share one day. Otherwise broken or hostile clients could spread one batch over
 * more partitions than an insert allows. Events without a time share that day, too: no other value of theirs stays the
 * same after midnight.
 */
function keyDay(original: number, received: number): string {
  const plausible = original >= FIRST_DAY_MS && original <= received + FURTHEST_AHEAD_MS;
  return plausible ? dayOf(original) : NO_DAY;
}
