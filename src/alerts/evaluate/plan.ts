/** What one transaction of a minute is going to write for an alert. */
import type { Firing } from "../record-firing.ts";
import type { ReadyAlert } from "./ready-alert.ts";

/** The new matches of an alert, and firings for the first of them. */
export interface Plan {
  readonly ready: ReadyAlert;
  readonly news: number;
  readonly firings: readonly Firing[];
  /** Of the wallets of a user alert. */
  readonly addresses: readonly string[];
}

export interface Planned {
  readonly plans: readonly Plan[];
  /** Of event alerts: their matches in the minute, with the new ones. */
  readonly counts: readonly { readonly alertId: string; readonly matches: number }[];
}

/** Nothing of it is written: the version of the cursor says whether it still holds. */
export type MakePlan = () => Promise<Planned>;

export interface At {
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

export function inParts<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, nth) => list.slice(nth * size, (nth + 1) * size));
}
