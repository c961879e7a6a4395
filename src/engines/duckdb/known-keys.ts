/**
 * The dedupe keys of the days that are being stored, in memory. Without them each batch reads the keys of all events of
 * its day: 87 ms of processor on a day of 1.5 million, for a batch of one event as well, and growing with the day.
 *
 * It may say of a key that it is known when it is not: then the stored keys decide, as for the days that are not here.
 * It never forgets one: all events go through it before they are stored, on the only connection that stores. What a
 * rolled back transaction leaves, or an erasure, is one key too many.
 *
 * Written by hand: a set of big integers takes 40 bytes a key and more, and packages of filters hash texts. Here a key
 * takes 5 to 14 bytes: a slot of four has 32 bits of it, its place says most of the others, and a quarter stays free.
 */
import { randomBytes } from "node:crypto";
import type { DuckDBConnection } from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";
import { DAY_MS, dayOf } from "../../lib/time.ts";
import type { EventRows } from "./append.ts";
import { readRows } from "./rows.ts";

export interface KnownKeys {
  /**
   * The numbers of the rows whose key may be stored, or may be that of a row before. From now on all keys are known.
   */
  addAll(connection: DuckDBConnection, rows: EventRows): Promise<readonly number[]>;
}

export interface KeyLimits {
  /** Keys of a day are read at its n-th batch: an import may come to a day only once. */
  readonly loadedAfter: number;
  /** Of all days together, four bytes each. A day that needs more is looked up in the table: 12.6 million events. */
  readonly mostSlots: number;
}

const LIMITS: KeyLimits = { loadedAfter: 4, mostSlots: 2 ** 24 };
const FEWEST_SLOTS = 2 ** 14;
const MOST_FILLED = 0.75;
/** Of a batch: one with more days is a mixture of old events. */
const MOST_DAYS = 8;
/** Batches until a day to which none of them came is no longer in use. */
const IN_USE = 16;
/** Days whose batches are counted. */
const MOST_COUNTED = 64;

export function createKnownKeys({ loadedAfter, mostSlots }: KeyLimits = LIMITS): KnownKeys {
  /** The least recently used day first. */
  const sets = new Map<number, KeySet>();
  const batches = new Map<number, number>();
  let batch = 0;

  /** Reads the keys of a day that is due, or has grown out of its set. */
  async function prepare(connection: DuckDBConnection, day: number, added: number): Promise<void> {
    const known = sets.get(day);
    if (known?.hasRoom(added)) {
      sets.delete(day);
      sets.set(day, known);
      known.last = { batch, added };
      return;
    }
    if (known === undefined && !isDue(day)) return;
    sets.delete(day);
    const stored = await countKeys(connection, day);
    const slots = slotsFor(stored + added);
    if (!makeRoom(slots, added)) return;
    const loaded = new KeySet(slots);
    await readKeys(connection, day, loaded);
    loaded.last = { batch, added };
    sets.set(day, loaded);
  }

  function isDue(day: number): boolean {
    const count = (batches.get(day) ?? 0) + 1;
    batches.delete(day);
    batches.set(day, count);
    if (batches.size > MOST_COUNTED) batches.delete(batches.keys().next().value ?? 0);
    return count % loadedAfter === 0;
  }

  /**
   * A day in use gives way only to one with far more of the events: two large days that batches come to by turns would be
   * read again and again, millions of keys each time.
   */
  function makeRoom(slots: number, added: number): boolean {
    if (slots > mostSlots) return false;
    let used = [...sets.values()].reduce((sum, set) => sum + set.slots, 0);
    for (const [day, set] of sets) {
      if (used + slots <= mostSlots) break;
      if (batch - set.last.batch < IN_USE && added < 2 * set.last.added) return false;
      sets.delete(day);
      used -= set.slots;
    }
    return true;
  }

  return {
    async addAll(connection, { block, rows }) {
      batch += 1;
      const days = block.column("dedupe_day");
      const keys = block.column("dedupe_key");
      const counts = new Map<number, number>();
      for (const row of rows) counts.set(days[row] as number, (counts.get(days[row] as number) ?? 0) + 1);
      if (counts.size <= MOST_DAYS) for (const [day, count] of counts) await prepare(connection, day, count);
      const mayBeKnown: number[] = [];
      for (const row of rows) {
        const day = days[row] as number;
        const isNew = sets.get(day)?.add(keys[row * 2] as number, keys[row * 2 + 1] as number) ?? false;
        if (!isNew) mayBeKnown.push(row);
      }
      for (const day of counts.keys()) if (sets.get(day)?.hasRoom(0) === false) sets.delete(day);
      return mayBeKnown;
    },
  };
}

const slotsFor = (keys: number) => 2 ** Math.ceil(Math.log2(Math.max(FEWEST_SLOTS, (keys / MOST_FILLED) * 1.3)));

/** Clients choose ids, and may choose those whose keys meet: not for places that a random number decides. */
const [SEED_LOW = 0, SEED_HIGH = 0] = new Uint32Array(new Uint8Array(randomBytes(8)).buffer);
/** Steps to a free slot; three quarters filled, 100 have not been seen. */
const MOST_STEPS = 1_000;

/** Open addressing. */
class KeySet {
  readonly slots: number;
  /** The last batch that came to its day, and how many of its events. */
  last = { batch: 0, added: 0 };
  readonly #marks: Uint32Array;
  #used = 0;
  #isSpoilt = false;

  constructor(slots: number) {
    this.slots = slots;
    this.#marks = new Uint32Array(slots);
  }

  hasRoom(added: number): boolean {
    return !this.#isSpoilt && this.#used + added <= this.slots * MOST_FILLED;
  }

  /** False if it is here already, or seems to be. */
  add(low: number, high: number): boolean {
    const one = mix(low ^ SEED_LOW);
    const two = mix(high ^ SEED_HIGH);
    const mark = (two ^ Math.imul(one, 0x9e3779b1)) >>> 0 || 1;
    let at = (one ^ Math.imul(two, 0x85ebca77)) & (this.slots - 1);
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const found = this.#marks[at];
      if (found === mark) return false;
      if (found === 0) {
        this.#marks[at] = mark;
        this.#used += 1;
        return true;
      }
      at = (at + 1) & (this.slots - 1);
    }
    this.#isSpoilt = true;
    return false;
  }
}

function mix(value: number): number {
  const one = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  const two = Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
  return two ^ (two >>> 16);
}

const ofDay = (day: number) => `dedupe_day = DATE '${dayOf(day * DAY_MS)}'`;

async function countKeys(connection: DuckDBConnection, day: number): Promise<number> {
  const found = await connection.runAndReadAll(`SELECT count(*) AS n FROM events WHERE ${ofDay(day)}`);
  return (readRows(found) as { n: number }[])[0]?.n ?? 0;
}

async function readKeys(connection: DuckDBConnection, day: number, into: KeySet): Promise<void> {
  const result = await connection.stream(`SELECT dedupe_key FROM events WHERE ${ofDay(day)}`);
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    const vector = duckdb.data_chunk_get_vector(chunk.chunk, 0);
    const bytes = duckdb.vector_get_data(vector, chunk.rowCount * 8);
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, chunk.rowCount * 2);
    for (let at = 0; at < words.length; at += 2) into.add(words[at] as number, words[at + 1] as number);
  }
}
