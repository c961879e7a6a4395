import type { Sending } from "./bodies.ts";

/** The plan of one run of the load generator. */
export interface Load extends Sending {
  readonly connections: number;
  readonly seconds: number;
  /**
   * Requests per second, evenly spaced, independent of the answers. Without it each connection sends as soon as it is
   * answered.
   */
  readonly perSecond?: number;
  /** The maximum of events that are sent and not yet stored. The parent reports how many are stored. */
  readonly window?: number;
}

export interface LoadResult {
  /** Events answered with 200, also after the end of the run: the warehouse must contain them all. */
  readonly okEvents: number;
  readonly okPerSecond: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly cpuSeconds: number;
  /** [wall clock in ms, events sent so far], every 50 ms. */
  readonly sent: readonly (readonly [number, number])[];
}

export type ToLoad =
  | { readonly type: "run"; readonly load: Load }
  | { readonly type: "stored"; readonly events: number };

export type FromLoad =
  | { readonly type: "ready" }
  | { readonly type: "done"; readonly result: LoadResult }
  | { readonly type: "failed"; readonly reason: string };
