import type { WarnLog } from "../../lib/tolerate.ts";

/** A request with the public link of a board. */
export interface SharedRequest<Q = unknown, P = unknown, B = unknown> {
  query: Q;
  params: P;
  body: B;
  /** What a password gave, of the Authorization header. */
  opening: string | undefined;
  /** The client's address, for limits in memory. */
  client: string;
  nowMs: number;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  log: WarnLog;
}
