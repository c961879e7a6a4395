/**
 * One event as the acceptor wrote it to the log: authenticated, of the agreed shape, and already holding a `message_id` and
 * both times. Nothing in here has been interpreted yet.
 */
export interface AcceptedEvent {
  readonly projectId: string;
  readonly receivedAtMs: number;
  /** ISO alpha-2, from a proxy header that the operator declared trustworthy; absent without such a proxy. */
  readonly country?: string;
  /** The client gave no time of the event, but an id that it will use again if it sends the event again. */
  readonly undated?: boolean;
  readonly raw: Readonly<Record<string, unknown>>;
}
