/**
 * Every span of time that materialization and retention leave between two things. None of them decides whether an answer is right, which
 * transactions do: they decide how often work is done again, and whether a day disappears while somebody looks at it.
 */
export const MARGINS = {
  /** A partition is materialized so long after its day: by then clients have sent what they held back at midnight. */
  dayIsOverMs: 15 * 60_000,
  /** After a late event a project waits so long for the next one: a backfill would make each partition dirty again at once. */
  quietMs: 60_000,
  /** A project that never gets quiet does not wait longer. */
  longestWaitMs: 15 * 60_000,
  /** How often dirty partitions are looked for. */
  lookEveryMs: 30_000,
  /**
   * A day leaves the reports at midnight, and is removed this much later: clocks of nodes may differ until then, and a report that was asked
   * before midnight may run.
   */
  removedAfterMs: 15 * 60_000,
} as const;

/** What is assumed of others: config.ts bounds a query, and nodes of a cluster keep the same time within a minute. */
export const ASSUMED = { longestQueryMs: 10 * 60_000, clocksDifferMs: 60_000 } as const;

/** `[smaller, larger, why]`: the table holds only while each of them does. */
export const INEQUALITIES: readonly (readonly [smaller: number, larger: number, why: string])[] = [
  [MARGINS.lookEveryMs, MARGINS.quietMs, "a pause between late events is seen"],
  [MARGINS.quietMs, MARGINS.longestWaitMs, "the bound is no shorter than what it bounds"],
  [MARGINS.longestWaitMs, MARGINS.dayIsOverMs, "a day is not rebuilt more often than it waited to be built"],
  [ASSUMED.clocksDifferMs, MARGINS.dayIsOverMs, "no node materializes a day that another one still writes to in time"],
  [ASSUMED.longestQueryMs + ASSUMED.clocksDifferMs, MARGINS.removedAfterMs, "no report reads a day that is removed"],
];
