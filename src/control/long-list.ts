import { setImmediate as nextTurn } from "node:timers/promises";
import { ApiError } from "../contract/errors.ts";
import { createSemaphore, QueueFull } from "../lib/semaphore.ts";

/**
 * Reading far into a long list. SQLite answers on the thread that serves all requests: to skip a million entries in one
 * statement held everybody up for 500 ms. So they are skipped in steps over one index. Between two steps other requests
 * are served, and only one step of all lists together is taken in a turn of the event loop.
 */
const STEP = 2_500;
/** Fewer entries than this are skipped together with what is read. */
const FEW = 500;

/**
 * Where a page begins: so many entries after a mark, which is the place of an entry, or after the beginning of the
 * list.
 */
export interface Start<M> {
  after: M | undefined;
  skip: number;
}

/** The mark of the entry after `skip` others that follow the mark `after`; undefined when the list ends before. */
export type FindMark<M> = (start: Start<M>) => Promise<M | undefined>;

/** Waits for a turn to take a step of a workspace's list. */
export type TakeTurn = (workspaceId: string, signal?: AbortSignal) => Promise<void>;

/** The same place with few entries to skip. Where the list ends before, there is nothing to read after it either. */
export async function approach<M>(offset: number, find: FindMark<M>, takeTurn: () => Promise<void>): Promise<Start<M>> {
  let start: Start<M> = { after: undefined, skip: offset };
  while (start.skip > FEW) {
    await takeTurn();
    const step = Math.min(start.skip, STEP);
    const after = await find({ after: start.after, skip: step - 1 });
    if (after === undefined) return start;
    start = { after, skip: start.skip - step };
  }
  return start;
}

/** Long lists of one workspace that may be read at once; more are refused. */
const WAITING = 16;

export function createTurns(): TakeTurn {
  const turns = createSemaphore({ perKey: 1, total: 1, waitingPerKey: WAITING });
  return async (workspaceId, signal) => {
    const release = await turns.acquire(workspaceId, signal).catch((cause: unknown) => {
      throw cause instanceof QueueFull ? tooMany() : cause;
    });
    // Held until everything else had its turn: the step that follows is the only one until then.
    void nextTurn().then(release);
  };
}

function tooMany(): ApiError {
  return new ApiError("TOO_MANY_REQUESTS", "Too many long lists of this workspace are being read at once", {
    headers: { "Retry-After": "1" },
  });
}
