import { clampTime, dayOf, findTime } from "../../lib/time.ts";
import type { Draft } from "../draft.ts";
import { type Park, park } from "../outcome.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Senders with a clock of their own that can be believed; a visitor's device is corrected by the time of receipt. */
const TRUSTED_CLOCKS: ReadonlySet<string> = new Set(["server", "api", "import"]);

/** No event of an onchain app is older than the first such chain, and no calendar is off by more than a year. */
const FIRST_DAY_MS = Date.UTC(2015, 0, 1);
const FURTHEST_AHEAD_MS = 366 * DAY_MS;
/** Of events whose day nobody knows. */
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

/** The age of the event by the client's clock, counted back from ours. Long past is a backfill, the future is a mistake. */
function correctedTime(original: number, sent: number, received: number): number {
  const corrected = received - (sent - original);
  return corrected > received + HOUR_MS ? received : corrected;
}

/**
 * The day in the deduplication key. It has to come out the same when a client sends an event again, so it follows the
 * client's own time: `timestamp` moves with `sent_at` and with the time of receipt, and a retry after midnight would be
 * another event. Days that no working clock shows share one, or broken and hostile clients could spread one batch over
 * more partitions than an insert may touch. Events that came without a time share it too: nothing else of them would
 * come out the same after midnight.
 */
function keyDay(original: number, received: number): string {
  const plausible = original >= FIRST_DAY_MS && original <= received + FURTHEST_AHEAD_MS;
  return plausible ? dayOf(original) : NO_DAY;
}
