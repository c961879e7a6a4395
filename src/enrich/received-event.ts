import type { Body, ContextFields, PropertyFields } from "./fields.ts";
import type { Fields } from "./text.ts";

/** One event as a client sent it: authenticated and of the agreed shape. None of its fields is interpreted yet. */
export interface ReceivedEvent {
  readonly origin: Origin;
  /** Becomes the message id of an event without one. */
  readonly spareId: string;
  readonly raw: Fields;
  /** False if `raw` has only fields of the contract. */
  readonly hasOthers?: boolean | undefined;
  /** Objects whose text is stored as it was sent; they are not in `raw`. */
  readonly context?: Body<ContextFields> | undefined;
  readonly properties?: Body<PropertyFields> | undefined;
}

/** The facts that an event inherits from its request. */
export interface Origin {
  readonly projectId: string;
  readonly receivedAtMs: number;
  /** ISO alpha-2, from a header of a trusted proxy. Absent without such a proxy. */
  readonly country?: string;
  /** True when a retry of the request gives its events the same spare ids. */
  readonly repeatable?: boolean;
}
