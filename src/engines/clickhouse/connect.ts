import type { AnalyticsEngine } from "../port.ts";

export interface ClickhouseOptions {
  /** May name the user, the password and the database (`sextant` by default). */
  readonly url: string;
  /** Of a cluster: its tables are then sharded and replicated. */
  readonly cluster?: string | undefined;
  /** The longest that a query may take, and the memory that it may use. */
  readonly queryMs?: number;
  readonly queryMemoryBytes?: number;
}

export function connectClickhouse(_options: ClickhouseOptions): AnalyticsEngine {
  throw new Error("not yet");
}
