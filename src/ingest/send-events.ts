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

/** The same for events whose JSON must stay as it is: numbers beyond 2^53. */
export type SendJson = (
  workspaceId: string,
  projectId: string,
  json: string,
  signal?: AbortSignal,
) => Promise<EventsAccepted>;

export function createSendEvents(deps: AcceptDeps): SendEvents {
  const send = createSendJson(deps);
  return (workspaceId, projectId, events, signal) => send(workspaceId, projectId, JSON.stringify(events), signal);
}

export function createSendJson(deps: AcceptDeps): SendJson {
  return async (workspaceId, projectId, json, signal) => {
    const body = Buffer.from(json);
    if (body.length > LIMITS.eventsBodyBytes)
      throw new RangeError(`a batch of events has at most ${LIMITS.eventsBodyBytes} bytes, not ${body.length}`);
    return acceptEvents(deps, {
      workspaceId,
      projectId,
      body: [body],
      givesBody: true,
      rules: "raw",
      lines: false,
      detail: false,
      country: undefined,
      idBase: undefined,
      ...(signal && { signal }),
    });
  };
}
