import { ApiError } from "../../contract/errors.ts";

const MIB = 1024 * 1024;
/** 3 s of full load. 60 packed requests of 10 KB at once took 840 MB without it and take 200 MB with it. */
const ALL_BYTES = 64 * MIB;
/** What large bodies may have of it together. The rest is for small ones, so that a flood of large ones turns none of them away. */
const LARGE_BYTES = 48 * MIB;
const SMALL_BYTES = 256 * 1024;

/** What one request holds of the budget. */
export interface BodyLease {
  bytes: number;
}

/**
 * How many bytes of request bodies may be in memory at once. What has arrived is counted, not what was announced: a client that
 * sends slowly holds no more than it has sent. Whoever finds no room is told to come back, which costs nothing.
 * No lib/semaphore.ts: a request holds bytes that grow as it arrives, and none waits.
 */
export interface BodyBudget {
  /** The request needs this many bytes in all from now on, 0 when it is done. Throws 503 when there is no room for more. */
  resize(lease: BodyLease, bytes: number): void;
}

export function createBodyBudget(): BodyBudget {
  let all = 0;
  let large = 0;
  return {
    resize(lease, bytes) {
      const more = bytes - lease.bytes;
      const largeMore = largeOf(bytes) - largeOf(lease.bytes);
      if (more > 0 && (all + more > ALL_BYTES || (largeMore > 0 && large + largeMore > LARGE_BYTES))) {
        throw new ApiError("SERVICE_UNAVAILABLE", "Too many large requests at once; none of this one was taken", {
          headers: { "Retry-After": "1" },
        });
      }
      all += more;
      large += largeMore;
      lease.bytes = bytes;
    },
  };
}

function largeOf(bytes: number): number {
  return bytes > SMALL_BYTES ? bytes : 0;
}
