/**
 * The columns of 64 bits that stand for texts. They are made here and not by the engine: DuckDB does not promise that its hash stays the same, and
 * both engines have to agree. Two different texts have the same hash once in 2^64 pairs.
 */
import xxhash from "xxhash-wasm";

const { h64 } = await xxhash();

/** What the hashes of an event are made of. */
export interface HashedTexts {
  projectId: string;
  dedupeDay: string;
  messageId: string;
  /** UTC day of `timestamp`, counted from 1970. */
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

/** Who came, by the best id there is; events without any are those of one visitor. */
function findVisitor({ anonymousId, userId, address }: HashedTexts): string {
  if (anonymousId !== "") return anonymousId;
  return userId !== "" ? userId : address;
}

/** Remembers the last visitor and session: a visitor's events often come together. */
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
    // By a letter of their own: a session without an id is never one whose id is that of a visitor.
    const which = texts.sessionId === "" ? `v${texts.day}\n${who}` : `s${texts.day}\n${texts.sessionId}`;
    if (which !== sessionText) {
      sessionText = which;
      session = h64(which);
    }
    return { session, visitor, dedupe_key: h64(`${texts.projectId}\n${texts.dedupeDay}\n${texts.messageId}`) };
  };
}
