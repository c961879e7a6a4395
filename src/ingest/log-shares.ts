import { comparePositions, type Position } from "./log-position.ts";

/** While others write, a workspace may hold this part of the log. Alone it may fill it. */
const SHARE = 1 / 4;
/** Others write if one of them did within this time. */
const OTHERS_MS = 60_000;
/** Bytes are released in portions of this part of the log, so that there are a few hundred portions at most. */
const PORTION = 1 / 256;

interface Write {
  owner: string;
  atMs: number;
}

/** The bytes in the log by workspace, since it was opened: what a restart found belongs to nobody. */
export class LogShares {
  readonly #maxBytes: number;
  readonly #held = new Map<string, number>();
  readonly #portions: { end: Position; byOwner: Map<string, number> }[] = [];
  #open = new Map<string, number>();
  #openBytes = 0;
  #last: Write | undefined;
  #lastOther: Write | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Would the workspace hold more than its share, while others write? */
  isExceeded(owner: string, size: number, nowMs: number): boolean {
    if ((this.#held.get(owner) ?? 0) + size <= this.#maxBytes * SHARE) return false;
    const other = this.#last?.owner === owner ? this.#lastOther : this.#last;
    return other !== undefined && nowMs - other.atMs < OTHERS_MS;
  }

  /** Would every workspace keep within its share with another record of this size? */
  fitsAll(size: number): boolean {
    return Math.max(0, ...this.#held.values()) + size <= this.#maxBytes * SHARE;
  }

  add(owner: string, size: number, nowMs: number): void {
    if (this.#last !== undefined && this.#last.owner !== owner) this.#lastOther = this.#last;
    this.#last = { owner, atMs: nowMs };
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + size);
    this.#open.set(owner, (this.#open.get(owner) ?? 0) + size);
    this.#openBytes += size;
  }

  /** The log is durable up to here. */
  settle(end: Position): void {
    if (this.#openBytes >= this.#maxBytes * PORTION) this.#endPortion(end);
  }

  /** Everything below it is stored; `end` is the end of the log. */
  release(stored: Position, end: Position): void {
    if (comparePositions(stored, end) >= 0) this.#endPortion(end);
    while (this.#portions[0] && comparePositions(this.#portions[0].end, stored) <= 0) {
      for (const [owner, bytes] of this.#portions.shift()?.byOwner ?? []) {
        const left = (this.#held.get(owner) ?? 0) - bytes;
        if (left > 0) this.#held.set(owner, left);
        else this.#held.delete(owner);
      }
    }
  }

  #endPortion(end: Position): void {
    this.#portions.push({ end, byOwner: this.#open });
    this.#open = new Map();
    this.#openBytes = 0;
  }
}
