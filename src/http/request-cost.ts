/** The cost of a request beyond the one that it counts for anyway, in requests of the workspace's rate limit. */

/** A keyed request of the events server needs a row and two synchronous writes of the control store. */
const KEYED_COST = 9;
/** Four reports at once, which a workspace may run, cost 40 of its 100 requests a second. */
const ENGINE_MS = 100;

/** `bytesPerRequest`: see eventsBytesPerRequest. */
export function eventsCost(bodyBytes: number, bytesPerRequest: number, isKeyed: boolean): number {
  return Math.floor(bodyBytes / bytesPerRequest) + (isKeyed ? KEYED_COST : 0);
}

/** So that the requests of a second, all of this size, are the bytes of a second: 60,000 bytes by default. */
export function eventsBytesPerRequest(bytesPerSecond: number, requestsPerSecond: number): number {
  return Math.max(1, bytesPerSecond / requestsPerSecond);
}

/**
 * Passes on the time of work that comes in small pieces, such as the polls of a stream, when it adds up to a request.
 * Nobody waits for it.
 */
export function createMeter(charge: (engineMs: number) => Promise<unknown>): (engineMs: number) => Promise<void> {
  let owedMs = 0;
  return async (engineMs) => {
    owedMs += engineMs;
    const wholeMs = reportCost(owedMs) * ENGINE_MS;
    if (wholeMs === 0) return;
    owedMs -= wholeMs;
    await charge(wholeMs);
  };
}

export function reportCost(engineMs: number): number {
  return Math.floor(engineMs / ENGINE_MS);
}
