import type { EnrichReason } from "../contract/event-reasons.ts";
import type { EventRow } from "./row.ts";

export interface Park {
  readonly kind: "park";
  readonly why: EnrichReason;
  readonly cause: unknown;
}

interface Keep {
  readonly kind: "keep";
  readonly row: EventRow;
}

export type Outcome = Keep | Park;

export function park(why: EnrichReason, cause: unknown): Park {
  return { kind: "park", why, cause };
}
