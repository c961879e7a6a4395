import type { Readable } from "node:stream";
import { ApiError } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import { type AcceptDeps, READ_HERE_BYTES } from "../../ingest/accept.ts";
import { decompress, ENCODINGS, type Encoding } from "../../ingest/decompress.ts";
import type { BodyBudget, BodyLease } from "./body-budget.ts";

const MAX_BYTES = LIMITS.eventsBodyBytes;
/** The memory that a piece needs besides its bytes. */
const PIECE_BYTES = 200;
/** Smaller pieces are joined into blocks: a body sent byte by byte would otherwise hold 200 times its size. */
const SMALL_PIECE_BYTES = 1024;
const BLOCK_BYTES = 16 * 1024;

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
let checking: NodeJS.Timeout | undefined;

/**
 * Reads a body in pieces, within the budget. After a failure the rest is received and dropped, so that the client can
 * read the response.
 */
export function readCounted(
  stream: Readable,
  budget: BodyBudget,
  lease: BodyLease,
  done: (cause: Error | null, pieces?: readonly Buffer[]) => void,
): void {
  const pieces = new Pieces();
  let failed = false;
  const reading: Reading = {
    startedAtMs: performance.now(),
    received: 0,
    fail(cause) {
      if (failed) return;
      failed = true;
      readings.delete(reading);
      pieces.drop();
      budget.resize(lease, 0);
      done(cause);
    },
  };
  readings.add(reading);
  if (checking === undefined) checking = setInterval(endSlow, CHECK_EVERY_MS).unref();
  stream.on("data", (chunk: Buffer) => {
    if (failed) return;
    reading.received += chunk.length;
    if (reading.received > MAX_BYTES) {
      reading.fail(tooLarge("The request body"));
      return;
    }
    pieces.add(chunk);
    try {
      budget.resize(lease, pieces.held);
    } catch (cause) {
      reading.fail(cause as Error);
    }
  });
  stream.on("end", () => {
    readings.delete(reading);
    if (!failed) done(null, pieces.list());
  });
  stream.on("error", reading.fail);
}

/** What arrived, the small pieces of it joined. */
class Pieces {
  /** Bytes of memory. */
  held = 0;
  readonly #whole: Buffer[] = [];
  #block: Buffer | undefined;
  #used = 0;

  add(chunk: Buffer): void {
    // The first piece is nearly always the only one.
    if (this.#whole.length > 0 && chunk.length <= SMALL_PIECE_BYTES) {
      this.#join(chunk);
      return;
    }
    this.#endBlock();
    this.#whole.push(chunk);
    this.held += chunk.length + PIECE_BYTES;
  }

  list(): readonly Buffer[] {
    this.#endBlock();
    return this.#whole;
  }

  drop(): void {
    this.#whole.length = 0;
    this.#block = undefined;
  }

  #join(chunk: Buffer): void {
    if (this.#block === undefined || this.#used + chunk.length > this.#block.length) {
      this.#endBlock();
      // As large as all before it, so that a short body has small ones.
      const size = Math.min(BLOCK_BYTES, Math.max(SMALL_PIECE_BYTES, this.held));
      this.#block = Buffer.allocUnsafeSlow(size);
      this.held += size + PIECE_BYTES;
    }
    this.#used += chunk.copy(this.#block, this.#used);
  }

  #endBlock(): void {
    if (this.#block === undefined) return;
    this.#whole.push(this.#block.subarray(0, this.#used));
    this.#block = undefined;
    this.#used = 0;
  }
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
