/**
 * The turns of people with a link: the engine works on two charts of one link at a time, because one viewer who chooses
 * many periods must not keep the others waiting, and for all links of a workspace in half of its query slots, because
 * strangers must not take them from its members.
 */
import type { BoardLink } from "../../boards/links.ts";
import type { Queue } from "../../boards/run-charts.ts";
import { CHART_LIMITS } from "../../contract/charts.ts";
import { ApiError } from "../../contract/errors.ts";
import { createSemaphore, QueueFull, type Semaphore, WaitTimeout } from "../../lib/semaphore.ts";

const WAITING_PER_LINK = 500;
const WAIT_MS = 60_000;

export type SharedTurns = (link: Pick<BoardLink, "id" | "workspaceId">) => Queue;

/** `querySlots` are those of one workspace. */
export function createSharedTurns(querySlots: number, waitMs = WAIT_MS): SharedTurns {
  const ofLink = createSemaphore({ perKey: CHART_LIMITS.running, waitingPerKey: WAITING_PER_LINK, waitMs });
  const ofWorkspace = createSemaphore({ perKey: Math.max(1, Math.floor(querySlots / 2)), waitMs });
  return ({ id, workspaceId }) => ({
    name: id,
    async enter(signal) {
      const leaveLink = await take(ofLink, id, signal);
      try {
        const leaveWorkspace = await take(ofWorkspace, workspaceId, signal);
        return () => {
          leaveWorkspace();
          leaveLink();
        };
      } catch (cause) {
        leaveLink();
        throw cause;
      }
    },
  });
}

async function take(semaphore: Semaphore, key: string, signal: AbortSignal): Promise<() => void> {
  try {
    return await semaphore.acquire(key, signal);
  } catch (cause) {
    if (!(cause instanceof QueueFull) && !(cause instanceof WaitTimeout)) throw cause;
    throw new ApiError("SERVICE_UNAVAILABLE", "Too many people look at this board; try again", {
      headers: { "Retry-After": "2" },
      cause,
    });
  }
}
