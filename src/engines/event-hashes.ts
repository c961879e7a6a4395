/**
 * The 64-bit columns that stand for texts. They are computed here and not by the engine: DuckDB does not promise a
 * stable hash, and both engines must agree. Two different texts collide once in 2^64 pairs.
 */
import xxhash from "xxhash-wasm";
import { DAY_MS } from "../lib/time.ts";
import type { ColumnReaders } from "./event-columns.ts";

const { h64 } = await xxhash();

/** The inputs of an event's hashes. */
interface HashedTexts {
  projectId: string;
  dedupeDay: string;
  messageId: string;
  /** UTC day of `timestamp`, as days since 1970. */
  day: number;
  sessionId: string;
  anonymousId: string;
  userId: string;
  address: string;
}

export interface EventHashes {
  session: bigint;
  visitor: bigint;
  dedupe_key: bigint;
}

/** The visitor, by the best id of the event. Events without any id share one visitor. */
function findVisitor({ anonymousId, userId, address }: HashedTexts): string {
  if (anonymousId !== "") return anonymousId;
  return userId !== "" ? userId : address;
}

/** Comparing two parts of larger texts takes 0.1 us: different ids mostly end differently. */
function isSame(one: string, other: string): boolean {
  const { length } = one;
  if (length !== other.length) return false;
  return length === 0 || (one.charCodeAt(length - 1) === other.charCodeAt(length - 1) && one === other);
}

/** Caches the last visitor and session: events of one visitor often arrive together. */
export function createHasher(): (texts: HashedTexts) => EventHashes {
  let lastVisitor = "";
  let visitor = h64("");
  let lastDay = Number.NaN;
  let lastSession = "";
  let session = h64("");
  return (texts) => {
    const { day, sessionId } = texts;
    const who = findVisitor(texts);
    if (!isSame(who, lastVisitor)) {
      lastVisitor = who;
      visitor = h64(who);
      lastDay = Number.NaN;
    }
    if (day !== lastDay || !isSame(sessionId, lastSession)) {
      lastDay = day;
      lastSession = sessionId;
      // The prefix keeps session ids apart from visitor ids.
      session = h64(sessionId === "" ? `v${day}\n${who}` : `s${day}\n${sessionId}`);
    }
    return { session, visitor, dedupe_key: h64(`${texts.projectId}\n${texts.dedupeDay}\n${texts.messageId}`) };
  };
}

/** Reads the hashes of a row. */
export function createHashReader<Row>(read: ColumnReaders<Row>): (row: Row) => EventHashes {
  const hash = createHasher();
  return (row) =>
    hash({
      projectId: read.project_id(row),
      dedupeDay: read.dedupe_day(row),
      messageId: read.message_id(row),
      day: Math.floor(read.timestamp(row) / DAY_MS),
      sessionId: read.session_id(row),
      anonymousId: read.anonymous_id(row),
      userId: read.user_id(row),
      address: read.address(row),
    });
}
