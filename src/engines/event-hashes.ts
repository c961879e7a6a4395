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

/** Caches the last visitor and session: events of one visitor often arrive together. */
export function createHasher(): (texts: HashedTexts) => EventHashes {
  let visitorText = "";
  let visitor = h64("");
  let sessionText = "";
  let session = h64("");
  return (texts) => {
    const who = findVisitor(texts);
    if (who !== visitorText) {
      visitorText = who;
      visitor = h64(who);
    }
    // The prefix keeps session ids apart from visitor ids.
    const which = texts.sessionId === "" ? `v${texts.day}\n${who}` : `s${texts.day}\n${texts.sessionId}`;
    if (which !== sessionText) {
      sessionText = which;
      session = h64(which);
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
