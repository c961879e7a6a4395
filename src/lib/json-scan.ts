/**
 * Reads JSON objects without building them: where the wanted values lie, and that all of the text is valid. It
 * understands JSON exactly as `JSON.stringify` writes it, so that a part of the text is what stringifying its parsed
 * value would give. Everything else (blanks, other escapes, other spellings of a number, a name twice) is unclear, and
 * the caller parses it.
 *
 * Written by hand: no library gives offsets. An event of 957 bytes takes 2.4 us, JSON.parse 4.0, and only counting
 * its brackets byte by byte 3.3: texts are read four bytes at a time, and names are not read but compared with those
 * that came at this place before. Comparing them by `startsWith` takes five times as long.
 */
import { beginning, type Name, Names, type Wanted } from "./json-names.ts";

/** The kind of a value. A `wide` text has bytes beyond ASCII. */
export const KIND = {
  unclear: 0,
  text: 1,
  wide: 2,
  escaped: 3,
  number: 4,
  true: 5,
  false: 6,
  null: 7,
  object: 8,
  array: 9,
} as const;

export interface JsonScan {
  /** Begins with an object or a list of objects, in valid UTF-8. */
  open(bytes: Buffer): void;
  /** Moves to the next object. */
  next(): "object" | "end" | "unclear";
  readonly isList: boolean;
  /** Of the last object: where it lies, and its number of wanted values: `found` has slot, kind, start, end of each. */
  readonly start: number;
  readonly end: number;
  readonly count: number;
  readonly found: Int32Array;
  /** The last object has a name at its first level that is not wanted. */
  readonly hasOthers: boolean;
  /** Objects, lists and commas so far, as measureBody counts them. */
  readonly values: number;
}

export const FOUND_WORDS = 4;
/** The kinds of texts; a body has far less than the 2^29 bytes that the rest of a number counts. */
const KIND_BITS = 3;

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const ESCAPE = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Each byte of a word at once. */
const ONES = 0x01010101;
const HIGHS = 0x80808080 | 0;
const QUOTES = QUOTE * ONES;
const ESCAPES = ESCAPE * ONES;
const SPACES = 0x20 * ONES;

/** What JSON.stringify writes after a backslash; a text with \u takes the slow way. */
const SHORT_ESCAPES = new Uint8Array(256);
for (const letter of '"\\bfnrt') SHORT_ESCAPES[letter.charCodeAt(0)] = 1;

/** Longer names take the slow way. */
const LONGEST_NAME = 128;
const NOTHING = Buffer.alloc(0);

export function createJsonScan(wanted: Wanted, mostDepth: number): JsonScan {
  return new Scan(wanted, mostDepth);
}

class Scan implements JsonScan {
  readonly #names: Names;
  readonly #mostDepth: number;
  readonly found: Int32Array;
  isList = false;
  start = 0;
  end = 0;
  count = 0;
  hasOthers = false;
  values = 0;
  #bytes: Buffer = NOTHING;
  #view: DataView = new DataView(new ArrayBuffer(0));
  #at = 0;
  /** Up to here a whole word can be read. */
  #lastWord = 0;

  constructor(wanted: Wanted, mostDepth: number) {
    this.#names = new Names(wanted);
    this.#mostDepth = mostDepth;
    const slots = [...wanted.values()].reduce((sum, { inner }) => sum + 1 + (inner?.size ?? 0), 0);
    this.found = new Int32Array(slots * FOUND_WORDS);
  }

  open(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#lastWord = bytes.length - 4;
    this.isList = bytes[0] === OPEN_LIST;
    this.#at = 0;
    this.start = 0;
    this.end = 0;
    this.values = this.isList ? 1 : 0;
  }

  next(): "object" | "end" | "unclear" {
    const isFirst = this.end === 0;
    if (this.isList || !isFirst) {
      const byte = this.#bytes[this.#at];
      if (!this.isList || (!isFirst && byte === CLOSE_LIST)) return this.#isOver() ? "end" : "unclear";
      if (!isFirst && byte !== COMMA) return "unclear";
      if (!isFirst) this.values += 1;
      this.#at += 1;
    }
    this.start = this.#at;
    this.count = 0;
    this.hasOthers = false;
    if (this.#bytes[this.#at] !== OPEN_OBJECT || !this.#object(this.#names.root, 1)) return "unclear";
    this.end = this.#at;
    return "object";
  }

  /** Only blanks follow. */
  #isOver(): boolean {
    let at = this.isList ? this.#at + 1 : this.#at;
    for (; at < this.#bytes.length; at += 1) {
      const byte = this.#bytes[at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return false;
    }
    return true;
  }

  #object(first: Name, depth: number): boolean {
    const bytes = this.#bytes;
    if (depth > this.#mostDepth) return false;
    this.values += 1;
    this.#at += 1;
    if (bytes[this.#at] === CLOSE_OBJECT) {
      this.#at += 1;
      return true;
    }
    let name = first;
    // Kept here and not in the object while texts are read: most values are texts.
    let at = this.#at;
    for (;;) {
      const next = name.next;
      const found = next !== undefined && this.#isAt(at, next) ? next : this.#follow(at, name);
      if (found === undefined) return false;
      name = found;
      at += name.bytes;
      const start = at;
      let kind: number;
      if (bytes[at] === QUOTE) {
        const read = this.#text(at);
        kind = read & KIND_BITS;
        at = read >> 2;
      } else {
        this.#at = at;
        kind = this.#value(name, depth);
        at = this.#at;
      }
      if (kind === KIND.unclear) return false;
      if (name.slot >= 0) this.#put(name.slot, kind, start, at);
      else if (depth === 1) this.hasOthers = true;
      const byte = bytes[at];
      at += 1;
      if (byte === COMMA) {
        this.values += 1;
        continue;
      }
      this.#at = at;
      return byte === CLOSE_OBJECT;
    }
  }

  #put(slot: number, kind: number, start: number, end: number): void {
    const { found } = this;
    const at = this.count * FOUND_WORDS;
    found[at] = slot;
    found[at + 1] = kind;
    found[at + 2] = start;
    found[at + 3] = end;
    this.count += 1;
  }

  #list(name: Name, depth: number): boolean {
    if (depth > this.#mostDepth) return false;
    this.values += 1;
    this.#at += 1;
    if (this.#bytes[this.#at] === CLOSE_LIST) {
      this.#at += 1;
      return true;
    }
    name.item ??= beginning(undefined);
    for (;;) {
      // What a list holds is not wanted, so its values have names of their own.
      if (this.#value(name.item, depth) === KIND.unclear) return false;
      const byte = this.#bytes[this.#at];
      this.#at += 1;
      if (byte === CLOSE_LIST) return true;
      if (byte !== COMMA) return false;
      this.values += 1;
    }
  }

  /** Moves behind the value. */
  #value(name: Name, depth: number): number {
    const byte = this.#bytes[this.#at];
    if (byte === QUOTE) {
      const read = this.#text(this.#at);
      this.#at = read >> 2;
      return read & KIND_BITS;
    }
    if (byte === OPEN_OBJECT) {
      name.inner ??= beginning(name.wanted);
      return this.#object(name.inner, depth + 1) ? KIND.object : KIND.unclear;
    }
    if (byte === OPEN_LIST) return this.#list(name, depth + 1) ? KIND.array : KIND.unclear;
    if (byte === 0x74) return this.#word("true", KIND.true);
    if (byte === 0x66) return this.#word("false", KIND.false);
    if (byte === 0x6e) return this.#word("null", KIND.null);
    return this.#number();
  }

  #word(word: string, kind: number): number {
    for (let i = 0; i < word.length; i += 1) if (this.#bytes[this.#at + i] !== word.charCodeAt(i)) return KIND.unclear;
    this.#at += word.length;
    return kind;
  }

  /** The end and, in its lowest two bits, the kind of the text. */
  #text(start: number): number {
    const bytes = this.#bytes;
    const view = this.#view;
    const lastWord = this.#lastWord;
    let at = start + 1;
    let highs = 0;
    let isEscaped = false;
    for (;;) {
      let hit = 0;
      for (; at <= lastWord; at += 4) {
        const word = view.getInt32(at, true);
        const quote = word ^ QUOTES;
        const backslash = word ^ ESCAPES;
        // The lowest set bit is in the first byte that is a quote, a backslash or a control character.
        hit = (((quote - ONES) & ~quote) | ((backslash - ONES) & ~backslash) | ((word - SPACES) & ~word)) & HIGHS;
        if (hit !== 0) {
          highs |= word & ((hit & -hit) - 1);
          break;
        }
        highs |= word;
      }
      if (hit !== 0) at += (31 - Math.clz32(hit & -hit)) >> 3;
      else for (; at < bytes.length && isPlain(bytes[at] as number); at += 1) highs |= bytes[at] as number;
      const byte = bytes[at];
      if (byte === QUOTE) {
        if (isEscaped) return ((at + 1) << 2) | KIND.escaped;
        return ((at + 1) << 2) | ((highs & HIGHS) === 0 ? KIND.text : KIND.wide);
      }
      if (byte !== ESCAPE || SHORT_ESCAPES[bytes[at + 1] ?? 0] !== 1) return KIND.unclear;
      isEscaped = true;
      at += 2;
    }
  }

  #number(): number {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = bytes[start] === MINUS ? start + 1 : start;
    const first = at;
    while (isDigit(bytes[at])) at += 1;
    const digits = at - first;
    let isShort = digits > 0 && digits <= 15 && (bytes[first] !== ZERO || (digits === 1 && first === start));
    if (isShort && bytes[at] === DOT) {
      const point = at;
      at += 1;
      while (isDigit(bytes[at])) at += 1;
      // A double holds 15 digits, and one below 0.000001 is written with an exponent.
      const decimals = at - point - 1;
      isShort = decimals > 0 && decimals <= 6 && digits + decimals <= 15 && bytes[at - 1] !== ZERO;
    }
    if (isOfNumber(bytes[at])) isShort = false;
    while (isOfNumber(bytes[at])) at += 1;
    this.#at = at;
    if (isShort) return KIND.number;
    const text = bytes.toString("latin1", start, at);
    return text !== "" && String(Number(text)) === text ? KIND.number : KIND.unclear;
  }

  #isAt(at: number, { words, bytes }: Name): boolean {
    const view = this.#view;
    if (at + bytes > this.#bytes.length) return false;
    const last = words.length - 1;
    for (let i = 0; i < last; i += 1) if (view.getInt32(at + i * 4, true) !== words[i]) return false;
    return view.getInt32(at + bytes - 4, true) === words[last];
  }

  #follow(at: number, before: Name): Name | undefined {
    let found: Name | undefined;
    for (const name of before.followers) if (this.#isAt(at, name)) found = name;
    found ??= this.#learn(at, before);
    if (found !== undefined) before.next = found;
    return found;
  }

  #learn(start: number, before: Name): Name | undefined {
    if (this.#bytes[start] !== QUOTE) return undefined;
    const read = this.#text(start);
    const kind = read & KIND_BITS;
    const end = read >> 2;
    const bytes = end + 1 - start;
    if (kind !== KIND.text && kind !== KIND.wide) return undefined;
    if (this.#bytes[end] !== COLON || bytes < 4 || bytes > LONGEST_NAME) return undefined;
    const text = this.#bytes.toString("utf8", start + 1, end - 1);
    return this.#names.learn(before, text, this.#bytes.subarray(start, end + 1));
  }
}

function isPlain(byte: number): boolean {
  return byte >= 0x20 && byte !== QUOTE && byte !== ESCAPE;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + 9;
}

function isOfNumber(byte: number | undefined): boolean {
  return isDigit(byte) || byte === DOT || byte === MINUS || byte === 0x2b || byte === 0x45 || byte === 0x65;
}
