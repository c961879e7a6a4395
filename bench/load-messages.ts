import type { Sending } from "./bodies.ts";

/** What one run of the load generator does. */
export interface Load extends Sending {
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second, evenly spaced, whatever the answers do. Without it each connection sends as soon as it is answered. */
  readonly perSecond?: number;
  /** At most this many events sent and not yet stored; the parent tells how many of this run are stored. */
  readonly window?: number;
}

export interface LoadResult {
  /** Answers 200 of the whole run, those after its end included: what must be found in the warehouse. */
  readonly okEvents: number;
  readonly okPerSecond: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly cpuSeconds: number;
  /** [milliseconds of the wall clock, events sent until then], every 50 ms. */
  readonly sent: readonly (readonly [number, number])[];
}

export type ToLoad =
  | { readonly type: "run"; readonly load: Load }
  | { readonly type: "stored"; readonly events: number };

export type FromLoad =
  | { readonly type: "ready" }
  | { readonly type: "done"; readonly result: LoadResult }
  | { readonly type: "failed"; readonly reason: string };
