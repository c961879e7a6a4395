import { createHmac, type KeyObject } from "node:crypto";
import { crc32 } from "node:zlib";
import { randomBase62, toBase62 } from "../lib/ids.ts";

/**
 * A key is `sxt_`, `sxw_`, `sxr_` or `sxs_`, 27 random characters (base62, 160.8 bits) and a 6-character CRC32 of all before it. The
 * checksum refuses a mistyped or truncated key without a database read, and it lets secret scanners recognise a leaked
 * key. Keys without our prefix are imported: users who move from a hosted service keep theirs.
 */
const KEY_KINDS = { api: "sxt_", write: "sxw_", bi: "sxr_", link: "sxs_" } as const;
export type KeyKind = keyof typeof KEY_KINDS;

const RANDOM_CHARS = 27;
const TAIL_CHARS = 6;
const SHOWN_CHARS = 10;
const IMPORTED_MIN_CHARS = 16;
const MAX_CHARS = 512;

export function createKeyText(kind: KeyKind): string {
  const head = KEY_KINDS[kind] + randomBase62(RANDOM_CHARS);
  return head + toBase62(crc32(head), TAIL_CHARS);
}

/** The same text for the same secret and name: a key that the service can make again instead of keeping it. */
export function deriveKeyText(kind: KeyKind, secret: Buffer, name: string): string {
  // Of 64 bytes about 62 are letters; 27 are needed.
  const letters = [...createHmac("sha512", secret).update(name).digest()].filter((byte) => byte < 248);
  const head =
    KEY_KINDS[kind] +
    letters
      .map((byte) => toBase62(byte % 62, 1))
      .join("")
      .slice(0, RANDOM_CHARS);
  return head + toBase62(crc32(head), TAIL_CHARS);
}

/** False only for a text that cannot be a key: wrong characters or length, or our prefix with a wrong checksum. */
export function isWellFormed(kind: KeyKind, text: string): boolean {
  if (text.length > MAX_CHARS || !/^[\x21-\x7e]+$/.test(text)) return false;
  const ours = Object.values(KEY_KINDS).find((prefix) => text.startsWith(prefix));
  if (ours === undefined) return true;
  if (ours !== KEY_KINDS[kind] || text.length !== ours.length + RANDOM_CHARS + TAIL_CHARS) return false;
  const head = text.slice(0, -TAIL_CHARS);
  return text.endsWith(toBase62(crc32(head), TAIL_CHARS));
}

/** Why a text cannot be imported as a key; undefined if it can. */
export function importProblem(kind: KeyKind, text: string): string | undefined {
  if (text.length < IMPORTED_MIN_CHARS) return `it is shorter than ${IMPORTED_MIN_CHARS} characters`;
  if (text.length > MAX_CHARS) return `it is longer than ${MAX_CHARS} characters`;
  if (!/^[\x21-\x7e]+$/.test(text)) return "it holds a space or a character outside printable ASCII";
  if (!isWellFormed(kind, text))
    return `it starts like a Sextant key but its kind, length or check characters are wrong`;
  return undefined;
}

/** The part of a key that is shown after its creation. */
export function shownPrefix(text: string): string {
  return text.slice(0, Math.min(SHOWN_CHARS, Math.floor(text.length / 2)));
}

/**
 * Keys are stored only as keyed hashes, so a stolen database alone does not allow testing guesses. A caller that hashes
 * per request converts the secret to a KeyObject once: a hash then takes 3 us instead of 13 us.
 */
export function hashKey(secret: Buffer | KeyObject, text: string): string {
  return createHmac("sha256", secret).update(text).digest("base64url");
}
