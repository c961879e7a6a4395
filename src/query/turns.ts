import { ApiError } from "../contract/errors.ts";

/**
 * How many reports of one workspace run at once. Those beyond wait in order, a bounded number of them and for a bounded time, so that one
 * dashboard with fifty charts neither hangs nor takes the engine from everybody else. Written by hand: limiters on npm bound one
 * queue, not a queue for each tenant with a deadline and an abort signal.
 */
export interface Turns {
  /** Resolves with what gives the turn back; that may be called more than once. */
  take(workspaceId: string, signal: AbortSignal): Promise<() => void>;
  /** Of all workspaces together, now. */
  count(): { running: number; waiting: number };
}

export interface TurnLimits {
  running: number;
  waiting: number;
  waitMs: number;
}

interface Queue {
  running: number;
  waiting: Set<() => void>;
}

export function createTurns(limits: TurnLimits): Turns {
  const queues = new Map<string, Queue>();

  function release(workspaceId: string, queue: Queue): () => void {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const [next] = queue.waiting;
      // A turn is handed on rather than given back: in between, a newcomer would take it out of turn.
      if (next) next();
      else queue.running -= 1;
      if (queue.running === 0) queues.delete(workspaceId);
    };
  }

  return {
    async take(workspaceId, signal) {
      signal.throwIfAborted();
      const queue = queues.get(workspaceId) ?? { running: 0, waiting: new Set() };
      queues.set(workspaceId, queue);
      if (queue.running < limits.running) queue.running += 1;
      else await waitInLine(queue, limits, signal);
      return release(workspaceId, queue);
    },
    count() {
      const all = [...queues.values()];
      const sum = (of: (queue: Queue) => number) => all.reduce((total, queue) => total + of(queue), 0);
      return { running: sum((queue) => queue.running), waiting: sum((queue) => queue.waiting.size) };
    },
  };
}

function waitInLine(queue: Queue, limits: TurnLimits, signal: AbortSignal): Promise<void> {
  if (queue.waiting.size >= limits.waiting) {
    throw new ApiError("TOO_MANY_REQUESTS", "Too many reports of this workspace are waiting already", {
      headers: { "Retry-After": "1" },
    });
  }
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      queue.waiting.delete(turn);
      signal.removeEventListener("abort", onAbort);
    };
    const turn = () => {
      leave();
      resolve();
    };
    const onAbort = () => {
      leave();
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      leave();
      const message = "The reports of this workspace take too long at the moment";
      reject(new ApiError("SERVICE_UNAVAILABLE", message, { headers: { "Retry-After": "2" } }));
    }, limits.waitMs);
    queue.waiting.add(turn);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
