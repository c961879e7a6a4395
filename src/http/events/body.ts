import type { Readable } from "node:stream";
import { ApiError } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import { type AcceptDeps, READ_HERE_BYTES } from "../../ingest/accept.ts";
import { decompress, ENCODINGS, type Encoding } from "../../ingest/decompress.ts";
import type { BodyBudget, BodyLease } from "./body-budget.ts";
import { createBodyMemory, LARGEST_BYTES } from "./body-memory.ts";

const MAX_BYTES = LIMITS.eventsBodyBytes;
/** The memory that a piece needs besides its bytes. */
const PIECE_BYTES = 200;

/** A body that has had this long and brought less than 1 KiB for each second is ended. */
const SLOW_AFTER_MS = 5_000;
const SLOW_BYTES_PER_MS = 1.024;
const CHECK_EVERY_MS = 1_000;

interface Reading {
  startedAtMs: number;
  received: number;
  fail(cause: Error): void;
}

const readings = new Set<Reading>();
const memory = createBodyMemory();
let checking: NodeJS.Timeout | undefined;

/**
 * Reads a body in pieces, within the budget. After a failure the rest is received and dropped, so that the client can
 * read the response. `expected` is the length that the client announced, if it did. The pieces are valid until `done`
 * returns: their memory is used again.
 */
export function readCounted(
  stream: Readable,
  expected: number | undefined,
  budget: BodyBudget,
  lease: BodyLease,
  done: (cause: Error | null, pieces?: readonly Buffer[]) => void,
): void {
  const pieces = new Pieces(expected);
  let isOver = false;
  const reading: Reading = {
    startedAtMs: performance.now(),
    received: 0,
    fail(cause) {
      if (isOver) return;
      isOver = true;
      readings.delete(reading);
      pieces.free();
      budget.resize(lease, 0);
      done(cause);
    },
  };
  readings.add(reading);
  if (checking === undefined) checking = setInterval(everySecond, CHECK_EVERY_MS).unref();
  stream.on("data", (chunk: Buffer) => {
    if (isOver) return;
    reading.received += chunk.length;
    if (reading.received > MAX_BYTES) {
      reading.fail(tooLarge("The request body"));
      return;
    }
    pieces.add(chunk, reading.received);
    try {
      budget.resize(lease, pieces.held);
    } catch (cause) {
      reading.fail(cause as Error);
    }
  });
  stream.on("end", () => {
    if (isOver) return;
    isOver = true;
    readings.delete(reading);
    // Whoever takes the pieces has as many bytes in memory, and no more.
    if (lease.bytes > reading.received) budget.resize(lease, reading.received);
    done(null, pieces.list());
    pieces.free();
  });
  stream.on("error", reading.fail);
}

/** What arrived: one piece as it is, or several in memory that is used again. */
class Pieces {
  /** Bytes of memory. */
  held = 0;
  readonly #expected: number;
  readonly #full: Buffer<ArrayBuffer>[] = [];
  #only: Buffer | undefined;
  #block = NOTHING;
  #used = 0;

  constructor(expected = Number.POSITIVE_INFINITY) {
    this.#expected = expected;
  }

  /** `received` is the length of the body so far. */
  add(chunk: Buffer, received: number): void {
    if (received === chunk.length && received === this.#expected) {
      this.#only = chunk;
      this.held = received + PIECE_BYTES;
      return;
    }
    for (let from = 0; from < chunk.length; ) {
      if (this.#used === this.#block.length) this.#grow(chunk.length - from, received);
      const copied = chunk.copy(this.#block, this.#used, from);
      this.#used += copied;
      from += copied;
    }
  }

  list(): readonly Buffer[] {
    if (this.#only !== undefined) return [this.#only];
    return this.#used === 0 ? this.#full : [...this.#full, this.#block.subarray(0, this.#used)];
  }

  /** After that there is nothing to list. */
  free(): void {
    for (const block of this.#full.splice(0)) memory.give(block);
    memory.give(this.#block);
    this.#only = undefined;
    this.#block = NOTHING;
    this.#used = 0;
  }

  /** For the rest of the body, but at most for half of what has arrived: a client may announce what it never sends. */
  #grow(more: number, received: number): void {
    const rest = more + Math.min(this.#expected - received, Math.ceil(received / 2));
    const isFull = this.#block.length >= LARGEST_BYTES;
    const old = this.#block;
    this.#block = memory.take(Math.min(isFull ? rest : this.#used + rest, LARGEST_BYTES));
    this.held += this.#block.length;
    if (isFull) {
      this.#full.push(old);
      this.#used = 0;
      return;
    }
    old.copy(this.#block, 0, 0, this.#used);
    this.held -= old.length;
    memory.give(old);
  }
}

const NOTHING = Buffer.alloc(0);

function everySecond(): void {
  endSlow();
  memory.trim();
}

function endSlow(): void {
  const now = performance.now();
  for (const { startedAtMs, received, fail } of readings) {
    const ms = now - startedAtMs;
    if (ms < SLOW_AFTER_MS || received >= ms * SLOW_BYTES_PER_MS) continue;
    fail(
      new ApiError("BAD_REQUEST", "The body comes too slowly: less than 1 KiB a second", {
        status: 408,
        headers: { Connection: "close" },
      }),
    );
  }
}

/**
 * The body without its Content-Encoding. Reserving the largest size (10 MiB) for each would let three workspaces, with
 * a request each, block all others that send a few compressed KB. So sixteen times the compressed size is tried first:
 * events compress five to twelve times. A body that may become large is decompressed by the thread.
 */
export async function unpack(
  sent: Buffer,
  header: string | undefined,
  budget: BodyBudget,
  lease: BodyLease,
  thread: AcceptDeps["thread"],
  signal: AbortSignal,
): Promise<Buffer> {
  const encoding = readEncoding(header);
  if (encoding === undefined) return sent;
  const likely = Math.min(sent.length * 16 + 64 * 1024, MAX_BYTES);
  for (const room of likely < MAX_BYTES ? [likely, MAX_BYTES] : [MAX_BYTES]) {
    budget.resize(lease, sent.length + room);
    const isSmall = room <= READ_HERE_BYTES;
    const body = await (isSmall ? decompress(sent, encoding, room) : thread.unpack(sent, encoding, room, signal));
    if (body === "not_valid") {
      throw new ApiError("BAD_REQUEST", `The body is not valid ${encoding} data`, { param: "body" });
    }
    if (body === "too_large") continue;
    budget.resize(lease, sent.length + body.length);
    return body;
  }
  throw tooLarge("The unpacked body");
}

/** Undefined for a body that is not compressed. */
function readEncoding(header = ""): Encoding | undefined {
  const name = header.trim().toLowerCase();
  if (name === "" || name === "identity") return undefined;
  const known = ENCODINGS.find((encoding) => encoding === name);
  if (known !== undefined) return known;
  throw new ApiError("BAD_REQUEST", `Content-Encoding must be one of ${ENCODINGS.join(", ")}`, { status: 415 });
}

export function tooLarge(what: string): ApiError {
  return new ApiError("BAD_REQUEST", `${what} is larger than ${MAX_BYTES / 1024 / 1024} MiB`, { status: 413 });
}
