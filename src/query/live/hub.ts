/** The open streams of events: how many there may be, which share a poller, and where a client resumes. */
import { ApiError } from "../../contract/errors.ts";
import { LIVE_STREAM } from "../../contract/live.ts";
import type { Position } from "../activity/position.ts";
import type { ReportOwner } from "../report/question.ts";
import type { Spent } from "../run/in-slot.ts";
import { comparePositions, findArrivals, type LiveEvent, positionOf } from "./arrivals.ts";
import { type LiveListener, type Poller, type PollerDeps, startPoller } from "./poller.ts";

export interface LiveClient extends LiveListener {
  /** The service stops. */
  onStop(): void;
}

export interface LiveSubscription {
  /** May be called more than once. */
  close(): void;
}

export interface LiveHub {
  /**
   * Starts with the events after a position, if one is given. Throws 429 or 503 when there are too many streams, and the
   * engine's failure.
   */
  open(owner: ReportOwner, client: LiveClient, spent: Spent, after?: Position): Promise<LiveSubscription>;
  /** The open streams. */
  count(): number;
  /** Ends all streams, and opens no more. */
  close(): void;
}

export function createLiveHub(deps: PollerDeps): LiveHub {
  const pollers = new Map<string, Poller>();
  const clients = new Map<LiveClient, string>();
  let isClosed = false;

  function admit(client: LiveClient, workspaceId: string): void {
    const ofWorkspace = [...clients.values()].filter((id) => id === workspaceId).length;
    if (ofWorkspace >= LIVE_STREAM.perWorkspace)
      throw crowded("TOO_MANY_REQUESTS", `A workspace may have ${LIVE_STREAM.perWorkspace} live streams at once`);
    if (isClosed || clients.size >= LIVE_STREAM.total)
      throw crowded("SERVICE_UNAVAILABLE", "There are too many live streams now; try again later");
    clients.set(client, workspaceId);
  }

  function getPoller(owner: ReportOwner, spent: Spent): [key: string, poller: Poller] {
    const key = JSON.stringify([owner.workspaceId, owner.projects.map(({ id, excludeBots }) => [id, excludeBots])]);
    const poller = pollers.get(key) ?? startPoller(deps, owner, spent);
    pollers.set(key, poller);
    return [key, poller];
  }

  return {
    async open(owner, client, spent, after) {
      admit(client, owner.workspaceId);
      const [key, poller] = getPoller(owner, spent);
      const resuming = createResuming(client, after);
      const close = () => {
        clients.delete(client);
        // Another poller may have taken its place after the last listener left.
        if (poller.remove(resuming) && pollers.get(key) === poller) pollers.delete(key);
      };
      try {
        poller.add(resuming);
        await poller.ready;
        await resuming.resume(deps, owner, spent);
      } catch (cause) {
        close();
        throw cause;
      }
      return { close };
    },
    count: () => clients.size,
    close() {
      isClosed = true;
      for (const client of [...clients.keys()]) client.onStop();
    },
  };
}

function crowded(code: "TOO_MANY_REQUESTS" | "SERVICE_UNAVAILABLE", message: string): ApiError {
  return new ApiError(code, message, { headers: { "Retry-After": "10" } });
}

/** Holds new events back while those since the position are read, and sends none of them twice. */
function createResuming(client: LiveClient, after: Position | undefined) {
  let held: { events: readonly LiveEvent[]; skipped: number }[] | undefined = after === undefined ? undefined : [];
  const sent = new Set<string>();
  const listener: LiveListener = {
    onEvents(events, skipped) {
      if (held !== undefined) held.push({ events, skipped });
      else
        client.onEvents(
          events.filter(({ key }) => !sent.has(key)),
          skipped,
        );
    },
    onCounts: (counts) => client.onCounts(counts),
  };
  return {
    ...listener,
    async resume({ runLookup, clock }: PollerDeps, owner: ReportOwner, spent: Spent): Promise<void> {
      if (after === undefined) return;
      const { signal } = new AbortController();
      const sinceMs = Math.max(after.ms, clock.nowMs() - LIVE_STREAM.resumedMinutes * 60_000);
      const question = {
        sinceMs,
        most: LIVE_STREAM.resumedEvents,
        isNew: (arrival: { key: string; receivedMs: number }) => comparePositions(positionOf(arrival), after) > 0,
      };
      const { events, skipped } = await runLookup(findArrivals(question), owner, signal, spent);
      for (const { key } of events) sent.add(key);
      client.onEvents(events, skipped);
      const waiting = held ?? [];
      held = undefined;
      for (const { events: later, skipped: more } of waiting) listener.onEvents(later, more);
    },
  };
}
