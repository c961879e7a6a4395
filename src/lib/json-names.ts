/**
 * The names that objects had so far, in their order, so that those of the next object are compared instead of read: a
 * sender's objects differ in their values. Each name is known by those before it, and so no object has one twice.
 */
/** Names whose values are wanted: the slot of each, and the wanted names of the object that it may hold. */
export type Wanted = ReadonlyMap<string, { readonly slot: number; readonly inner?: Wanted }>;

/** Senders have some dozens of different objects. One that always sends others costs the learning of so many names. */
const MOST_NAMES = 4_096;
const MOST_FOLLOWERS = 64;

export class Name {
  readonly text: string;
  readonly slot: number;
  /** `"name":` */
  readonly words: Int32Array;
  readonly bytes: number;
  readonly before: Name | undefined;
  /** The names that are wanted in its object, and in the object that is its value. */
  readonly siblings: Wanted | undefined;
  readonly wanted: Wanted | undefined;
  /** The one that came after it last, and all that ever did. */
  next: Name | undefined;
  readonly followers: Name[] = [];
  /** The beginning of an object that is its value, and of those in a list. */
  inner: Name | undefined;
  item: Name | undefined;

  constructor(text: string, token: Buffer, before: Name | undefined, siblings: Wanted | undefined) {
    const wanted = siblings?.get(text);
    this.text = text;
    this.bytes = token.length;
    this.before = before;
    this.siblings = siblings;
    this.slot = wanted?.slot ?? -1;
    this.wanted = wanted?.inner;
    // The last word overlaps the one before it, unless the length is a multiple of four.
    this.words = Int32Array.from({ length: Math.ceil(token.length / 4) }, (_, nth) =>
      token.readInt32LE(Math.min(nth * 4, token.length - 4)),
    );
  }
}

const NOTHING = Buffer.alloc(0);

/** What comes before the first name of an object. */
export function beginning(wanted: Wanted | undefined): Name {
  return new Name("", NOTHING, undefined, wanted);
}

export class Names {
  readonly #wanted: Wanted;
  #count = 0;
  root: Name;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
    this.root = beginning(wanted);
  }

  /** Undefined if the name makes an object that is read as something else than it was written. */
  learn(before: Name, text: string, token: Buffer): Name | undefined {
    // JSON.parse puts names that are numbers first, and this one is no ordinary field everywhere.
    if (/^\d+$/.test(text) || text === "__proto__") return undefined;
    for (let one: Name | undefined = before; one !== undefined; one = one.before)
      if (one.text === text) return undefined;
    if (this.#count === MOST_NAMES || before.followers.length === MOST_FOLLOWERS) {
      this.root = beginning(this.#wanted);
      this.#count = 0;
      return undefined;
    }
    this.#count += 1;
    const made = new Name(text, token, before, before.siblings);
    before.followers.push(made);
    return made;
  }
}
