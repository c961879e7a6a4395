/**
 * Every margin of time in materialization and retention. On DuckDB transactions make answers correct; the margins
 * decide how often work is repeated, and whether a day is removed while a report reads it. ClickHouse has no
 * transactions: there `settleMs`, and the spans it must exceed, ensure that no event is missed.
 */
export const MARGINS = {
  /**
   * A partition is materialized so long after its day: by then clients have sent the events that they held back at
   * midnight.
   */
  dayIsOverMs: 15 * 60_000,
  /**
   * After a late event materialization waits so long for the next one: otherwise each event of a backfill would make
   * partitions dirty again.
   */
  quietMs: 60_000,
  /** The longest wait of a project that receives late events continuously. */
  longestWaitMs: 15 * 60_000,
  /** An hour of a running day is rolled up so long after its end: events that come later open it again. */
  hourIsOverMs: 5 * 60_000,
  /** Events are rolled up so long after their receipt: one that was received earlier and is stored later undoes it. */
  receivedMs: 60_000,
  /** How often dirty partitions are listed. */
  listDirtyEveryMs: 30_000,
  /**
   * A day leaves the reports at midnight and is removed this much later: clocks of nodes differ, and a report that
   * started before midnight may still run.
   */
  removedAfterMs: 15 * 60_000,
  /**
   * ClickHouse: a partition is materialized so long after it was marked dirty. By then the insert of the mark's events
   * has landed or failed.
   */
  settleMs: 5 * 60_000,
  /** ClickHouse: a batch stored later than this after its receipt also marks today dirty. */
  freshMs: 60_000,
  /** ClickHouse: reports within this time share one read of the partition catalogue. */
  sharedReadMs: 250,
  /** ClickHouse: rows of a superseded revision are kept so long, because a report or a worker may be reading them. */
  keepSupersededMs: 3_600_000,
  /** ClickHouse: an unfinished revision is kept so long, because a worker may still be writing it. */
  keepUnfinishedMs: 24 * 3_600_000,
} as const;

/** Assumptions: config.ts bounds a query, and the clocks of a cluster differ by at most a minute. */
const ASSUMED = {
  longestQueryMs: 10 * 60_000,
  clocksDifferMs: 60_000,
  /**
   * From a mark until its insert has landed: the insert's limit (clickhouse/database.ts) plus 10 s for the mark.
   */
  longestInsertMs: 130_000,
} as const;

/** `[smaller, larger, why]`: the margins are safe only while every line holds. */
export const INEQUALITIES: readonly (readonly [smaller: number, larger: number, why: string])[] = [
  [MARGINS.listDirtyEveryMs, MARGINS.quietMs, "a pause between late events is noticed"],
  [MARGINS.quietMs, MARGINS.longestWaitMs, "the longest wait includes at least one quiet period"],
  [
    MARGINS.longestWaitMs,
    MARGINS.dayIsOverMs,
    "a partition is not materialized again sooner than it was materialized first",
  ],
  [ASSUMED.clocksDifferMs, MARGINS.dayIsOverMs, "no node materializes a day that is still today on another node"],
  [
    MARGINS.freshMs + ASSUMED.longestInsertMs + ASSUMED.clocksDifferMs,
    MARGINS.settleMs,
    "the events of a mark, and events received before it, are stored when their partition is materialized",
  ],
  [
    MARGINS.settleMs,
    MARGINS.dayIsOverMs,
    "events stored without a mark, as today's, are stored when the day is materialized",
  ],
  [
    ASSUMED.longestQueryMs + ASSUMED.clocksDifferMs,
    MARGINS.keepSupersededMs,
    "no report reads a revision that is removed",
  ],
  [MARGINS.keepSupersededMs, MARGINS.keepUnfinishedMs, "an unfinished revision is kept longer than a superseded one"],
  [ASSUMED.longestQueryMs + ASSUMED.clocksDifferMs, MARGINS.removedAfterMs, "no report reads a day that is removed"],
];
