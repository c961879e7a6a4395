/**
 * The inner door for events: what the service itself sends for a project. The same checks, log, durability and ledger
 * as for the events server, without a write key and its limits. A caller that sends a batch again after a crash gives
 * its events a `message_id`, so that they count once.
 */
import { LIMITS } from "../contract/limits.ts";
import { type AcceptDeps, acceptEvents, type EventsAccepted } from "./accept.ts";

/** Resolves once every event is on disk, or parked with its reason. Throws the error that a client would get. */
export type SendEvents = (
  workspaceId: string,
  projectId: string,
  events: readonly object[],
  signal?: AbortSignal,
) => Promise<EventsAccepted>;

export function createSendEvents(deps: AcceptDeps): SendEvents {
  return async (workspaceId, projectId, events, signal) => {
    const body = Buffer.from(JSON.stringify(events));
    if (body.length > LIMITS.eventsBodyBytes)
      throw new RangeError(`a batch of events has at most ${LIMITS.eventsBodyBytes} bytes, not ${body.length}`);
    return acceptEvents(deps, {
      workspaceId,
      projectId,
      body: [body],
      rules: "raw",
      lines: false,
      detail: false,
      country: undefined,
      idBase: undefined,
      ...(signal && { signal }),
    });
  };
}
