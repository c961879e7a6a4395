import type { Readable } from "node:stream";
import { ApiError } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import { type AcceptDeps, READ_HERE_BYTES } from "../../ingest/accept.ts";
import { decompress, ENCODINGS, type Encoding } from "../../ingest/decompress.ts";
import type { BodyBudget, BodyLease } from "./body-budget.ts";

const MAX_BYTES = LIMITS.eventsBodyBytes;
/** The overhead of a piece: a body sent byte by byte would otherwise hold a hundred times the counted bytes. */
const PIECE_BYTES = 200;

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
  const chunks: Buffer[] = [];
  let received = 0;
  let failed = false;
  const fail = (cause: Error) => {
    if (failed) return;
    failed = true;
    chunks.length = 0;
    budget.resize(lease, 0);
    done(cause);
  };
  stream.on("data", (chunk: Buffer) => {
    if (failed) return;
    received += chunk.length;
    if (received > MAX_BYTES) {
      fail(tooLarge("The request body"));
      return;
    }
    try {
      budget.resize(lease, received + (chunks.length + 1) * PIECE_BYTES);
    } catch (cause) {
      fail(cause as Error);
      return;
    }
    chunks.push(chunk);
  });
  stream.on("end", () => {
    if (!failed) done(null, chunks);
  });
  stream.on("error", fail);
}

/**
 * The body without its Content-Encoding. Reserving the largest possible size would let four clients block everyone who
 * sends a few compressed KB. So sixteen times the compressed size is tried first: events compress five to twelve times.
 * A body that may become large is decompressed by the thread.
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
