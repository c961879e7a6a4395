import { ApiError } from "../../contract/errors.ts";

const MIB = 1024 * 1024;
/** 3 s of full load. 60 compressed requests of 10 KB at once took 840 MB without the budget and 200 MB with it. */
const ALL_BYTES = 64 * MIB;
/** The share for large bodies. The rest is for small ones, so that a flood of large bodies blocks no small one. */
const LARGE_BYTES = 48 * MIB;
const SMALL_BYTES = 256 * 1024;

/**
 * A workspace may hold this many times the free bytes: three quarters of all while it is alone, less beside others. Of
 * large bodies these are three of 10 MiB, and a neighbour has room for one.
 */
const SHARE_OF_FREE = 3;

/** The bytes that one request holds. */
export interface BodyLease {
  workspaceId: string;
  bytes: number;
}

interface Held {
  all: number;
  large: number;
}

/**
 * Limits the bytes of request bodies in memory. It counts bytes that have arrived, not those announced: a slow client
 * holds no more than it has sent. A request without room gets a 503, which costs nothing.
 * lib/semaphore.ts does not fit: the bytes of a request grow as it arrives, and no request waits.
 */
export interface BodyBudget {
  /** Sets the total bytes of the request, 0 when it is done. Throws 503 when there is no room. */
  resize(lease: BodyLease, bytes: number): void;
}

export function createBodyBudget(): BodyBudget {
  const total: Held = { all: 0, large: 0 };
  const byWorkspace = new Map<string, Held>();
  return {
    resize(lease, bytes) {
      const { workspaceId } = lease;
      const own = byWorkspace.get(workspaceId) ?? { all: 0, large: 0 };
      const more = bytes - lease.bytes;
      const largeMore = largeOf(bytes) - largeOf(lease.bytes);
      const lacksRoom =
        own.all + more > (ALL_BYTES - total.all - more) * SHARE_OF_FREE ||
        (largeMore > 0 && own.large + largeMore > (LARGE_BYTES - total.large - largeMore) * SHARE_OF_FREE);
      if (more > 0 && lacksRoom) {
        throw new ApiError("SERVICE_UNAVAILABLE", "Too many large requests at once; none of this one was taken", {
          headers: { "Retry-After": "1" },
        });
      }
      for (const held of [total, own]) {
        held.all += more;
        held.large += largeMore;
      }
      if (own.all > 0) byWorkspace.set(workspaceId, own);
      else byWorkspace.delete(workspaceId);
      lease.bytes = bytes;
    },
  };
}

function largeOf(bytes: number): number {
  return bytes > SMALL_BYTES ? bytes : 0;
}
