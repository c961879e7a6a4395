import type { QuerySlots } from "./slots.ts";

/**
 * The end of a report: answered, abandoned by its client, limited because all slots of the workspace were taken, or
 * failed.
 */
export type ReportOutcome = "answered" | "abandoned" | "limited" | "failed";

export interface SlotDeps {
  slots: QuerySlots;
  /** The time from the validated query to the answer, with the wait for a slot. */
  observe?(name: string, outcome: ReportOutcome, seconds: number): void;
}

/** The milliseconds that the engine worked, also for a report that failed. */
export type Spent = (engineMs: number) => void | Promise<void>;

/** Waits for a query slot of the workspace, works in it, and observes the outcome. */
export async function inSlot<T>(
  deps: SlotDeps,
  name: string,
  workspaceId: string,
  signal: AbortSignal,
  spent: Spent | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const end = (outcome: ReportOutcome) => deps.observe?.(name, outcome, (performance.now() - startedAt) / 1000);
  const failed = (otherwise: ReportOutcome) => (signal.aborted ? "abandoned" : otherwise);
  let release: () => void;
  try {
    release = await deps.slots.acquire(workspaceId, signal);
  } catch (cause) {
    end(failed("limited"));
    throw cause;
  }
  const admittedAt = performance.now();
  try {
    const answer = await work();
    end("answered");
    return answer;
  } catch (cause) {
    end(failed("failed"));
    throw cause;
  } finally {
    release();
    await spent?.(performance.now() - admittedAt);
  }
}
