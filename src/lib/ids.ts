import { randomBytes } from "node:crypto";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Uniform base62 text: bytes of 248 and above are drawn again, since 256 is no multiple of 62. */
export function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}

/** A number in base62, padded to a fixed width. */
export function toBase62(value: number, width: number): string {
  let text = "";
  for (let rest = value; text.length < width; rest = Math.floor(rest / 62)) text = BASE62[rest % 62] + text;
  return text;
}

/** 22 characters of base62 are 131 bits: enough never to meet twice. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBase62(22)}`;
}
