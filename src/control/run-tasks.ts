/** Does the tasks of some kinds (tasks.ts), one of each kind at a time: an import of hours holds up no other kind. */
import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import { keepLease } from "./keep-lease.ts";
import type { ControlStore } from "./store.ts";
import {
  claimTask,
  endTask,
  releaseAbandonedTasks,
  releaseTask,
  renewTask,
  saveTask,
  TASK_LEASE_MS,
  type Task,
  type TaskProgress,
} from "./tasks.ts";

export interface TaskKind {
  readonly kind: string;
  /** Goes on at the cursor of the task. A step that was not saved is done again. */
  run(task: Task, step: TaskStep): Promise<void>;
  /** After it was recorded as done: removes what nobody needs then. A job has to do it where the process ended first. */
  clear?(task: Task): Promise<void>;
}

export interface TaskStep {
  /** Aborts when the service stops and when the task is no longer ours: cancelled, deleted, or another node's. */
  readonly signal: AbortSignal;
  /** Call after each step. Rejects when the signal aborts. */
  save(progress: TaskProgress): Promise<void>;
}

interface RunnerDeps {
  store: ControlStore;
  /** For waiting. */
  steady: Clock;
  /** For the times that people see. */
  clock: Clock;
  log: WarnLog;
  leaseMs?: number;
}

/** Somebody waits for a task that they have just created. */
const POLL_MS = 1_000;

export async function startTasks(kinds: readonly TaskKind[], deps: RunnerDeps): Promise<{ stop(): Promise<void> }> {
  const { store, steady, log, leaseMs = TASK_LEASE_MS } = deps;
  const stopping = new AbortController();
  await releaseAbandonedTasks(store);

  async function runNext(kind: TaskKind): Promise<boolean> {
    const owner = newId("lease");
    const task = await claimTask(store, [kind.kind], { owner, nowMs: steady.nowMs(), leaseMs });
    if (task === undefined) return false;
    await runTask(kind, task, owner, { ...deps, leaseMs }, stopping.signal);
    return true;
  }

  async function repeat(kind: TaskKind): Promise<void> {
    while (!stopping.signal.aborted) {
      const ran = await runNext(kind).catch((cause: unknown) => {
        log.warn({ err: cause }, "a task could not be claimed or ended; it is tried again");
        return false;
      });
      if (!ran) await delay(POLL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const running = Promise.all(kinds.map(repeat));
  return {
    async stop() {
      stopping.abort(new Error("stopping"));
      await running;
    },
  };
}

/** A failure of the work whose text people may see. */
export class TaskFailed extends Error {
  override readonly name = "TaskFailed";
}

async function runTask(
  kind: TaskKind,
  task: Task,
  owner: string,
  { store, steady, clock, log, leaseMs }: Required<RunnerDeps>,
  stop: AbortSignal,
): Promise<void> {
  const lost = new AbortController();
  const signal = AbortSignal.any([stop, lost.signal]);
  const kept = keepLease({
    ...{ steady, leaseMs },
    renew: (untilMs) => renewTask(store, task.id, owner, untilMs),
    lose: () => lost.abort(new Error("the task is no longer ours")),
  });
  const save = async (progress: TaskProgress) => {
    signal.throwIfAborted();
    const untilMs = steady.nowMs() + leaseMs;
    kept.renewed(untilMs, await saveTask(store, task.id, owner, progress, untilMs));
    signal.throwIfAborted();
  };
  try {
    const end = await kind.run(task, { signal, save }).then(
      () => ({ state: "done", message: null }) as const,
      (cause: unknown) => {
        // The task is another's, or will be: it goes on at its cursor.
        if (signal.aborted || store.isUnavailable(cause)) throw cause;
        log.warn({ err: cause, task: task.id, kind: task.kind }, "a task failed");
        return { state: "failed", message: messageOf(cause) } as const;
      },
    );
    const isOurs = await endTask(store, task.id, owner, { ...end, nowMs: clock.nowMs() });
    if (isOurs && end.state === "done" && kind.clear)
      await tolerate(kind.clear(task), log, "a job removes what it leaves");
  } catch (cause) {
    if (lost.signal.aborted) return;
    // Unless it can be given back now, it is free when its lease ends.
    await tolerate(releaseTask(store, task.id, owner), log, "the lease of the task ends by itself");
    if (!stop.aborted) throw cause;
  } finally {
    await kept.end();
  }
}

function messageOf(cause: unknown): string {
  if (cause instanceof TaskFailed || cause instanceof ApiError) return cause.message;
  return "It failed. The log of the service has the cause.";
}
