import type { Fields } from "./text.ts";

/** One event as a client sent it: authenticated and of the agreed shape. Nothing in it has been interpreted yet. */
export interface ReceivedEvent {
  readonly origin: Origin;
  /** Its message id, if it came without one. */
  readonly spareId: string;
  readonly raw: Fields;
}

/** What an event has from its request. */
export interface Origin {
  readonly projectId: string;
  readonly receivedAtMs: number;
  /** ISO alpha-2, from a proxy header that the operator declared trustworthy; absent without such a proxy. */
  readonly country?: string;
  /** The same request, sent again, gives its events the same spare ids. */
  readonly repeatable?: boolean;
}
