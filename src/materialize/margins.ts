/**
 * Every span of time that materialization and retention leave between two things. On DuckDB none of them decides whether an answer is right, which
 * transactions do: they decide how often work is done again, and whether a day disappears while somebody looks at it. ClickHouse has no
 * transactions: there `settleMs` and what it has to be longer than keep events from being missed.
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
  /** ClickHouse: a partition is materialized so long after it was marked dirty. By then the insert that the mark announced has landed, or failed. */
  settleMs: 5 * 60_000,
  /** ClickHouse: a batch that is stored later than this after its receipt marks today dirty, too. */
  freshMs: 60_000,
  /** ClickHouse: reports that are asked within it share one read of the partition catalogue. */
  sharedReadMs: 250,
  /** ClickHouse: rows of a superseded revision stay so long; a report or a worker may be reading them. */
  keepSupersededMs: 3_600_000,
  /** ClickHouse: a worker may still be at a revision that was begun so long ago and is not noted. */
  keepUnfinishedMs: 24 * 3_600_000,
} as const;

/** What is assumed of others: config.ts bounds a query, and nodes of a cluster keep the same time within a minute. */
const ASSUMED = {
  longestQueryMs: 10 * 60_000,
  clocksDifferMs: 60_000,
  /** From its mark until an insert has landed: its own limit (engines/clickhouse/http.ts), and the marks' 10 s. */
  longestInsertMs: 130_000,
} as const;

/** `[smaller, larger, why]`: the table holds only while each of them does. */
export const INEQUALITIES: readonly (readonly [smaller: number, larger: number, why: string])[] = [
  [MARGINS.lookEveryMs, MARGINS.quietMs, "a pause between late events is seen"],
  [MARGINS.quietMs, MARGINS.longestWaitMs, "the bound is no shorter than what it bounds"],
  [MARGINS.longestWaitMs, MARGINS.dayIsOverMs, "a day is not rebuilt more often than it waited to be built"],
  [ASSUMED.clocksDifferMs, MARGINS.dayIsOverMs, "no node materializes a day that another one still writes to in time"],
  [
    MARGINS.freshMs + ASSUMED.longestInsertMs + ASSUMED.clocksDifferMs,
    MARGINS.settleMs,
    "what was marked, or was received before what was, is stored when its partition is materialized",
  ],
  [MARGINS.settleMs, MARGINS.dayIsOverMs, "what was stored as today's is stored when the day is materialized"],
  [
    ASSUMED.longestQueryMs + ASSUMED.clocksDifferMs,
    MARGINS.keepSupersededMs,
    "no report reads a revision that is removed",
  ],
  [MARGINS.keepSupersededMs, MARGINS.keepUnfinishedMs, "what may yet be noted stays longer than what is superseded"],
  [ASSUMED.longestQueryMs + ASSUMED.clocksDifferMs, MARGINS.removedAfterMs, "no report reads a day that is removed"],
];
