/** A background job, as its room defines it. `service/jobs.ts` joins the jobs of all rooms, `run-jobs.ts` runs them. */
export interface Job {
  /** Label in the metrics. */
  readonly name: string;
  /**
   * From the end of a run to the start of the next, varied by a tenth so that nodes that start together drift apart.
   */
  readonly everyMs: number;
  /** The share of time in which a run may work; `rest` waits for the remainder. 1 never rests. */
  readonly share: number;
  /** True for a job that one node does for all: the others only take over when it dies. */
  readonly once?: true;
  run(run: JobRun): Promise<unknown>;
  /** The consequence of a failed run, for the log. */
  readonly whenFailed: string;
}

export interface JobRun {
  /** Aborts when the service stops, and when a job that runs once has lost its lease. */
  readonly signal: AbortSignal;
  /** Call between two steps of a long run. Rejects when the signal aborts. */
  rest(): Promise<void>;
}

/** Repeats short steps until one finds nothing. Resolves with their sum. */
export async function untilNothing(rest: JobRun["rest"], step: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let done = await step(); done > 0; done = await step()) {
    total += done;
    await rest();
  }
  return total;
}
