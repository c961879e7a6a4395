/** An engine's part of a report: what is no table of its own is a relation of CTEs. */
import type { KeptRelation, Reads, SelectParams } from "./select.ts";

/** CTEs at the beginning of a statement, in order, their parameters, and what they read. */
export interface FoundRelations {
  readonly ctes: readonly Cte[];
  readonly params: SelectParams;
  readonly reads: Reads;
  /** No partition is clean, and to plan what reads those that are costs much: a statement leaves it out. */
  readonly noneClean?: boolean;
  /** Nothing of a running day is rolled up: a statement leaves out what reads it. */
  readonly noneRunning?: boolean;
  /** The same CTEs in a form that reads a relation which the engine can keep. */
  readonly kept?: KeptRelation & { readonly ctes: readonly Cte[] };
}

/** The projects of a report. */
export interface ReportScope {
  readonly projects: ReadonlyArray<{
    readonly id: string;
    /** That of the window, or the first day that the project keeps. */
    readonly firstDay: string;
    /** The report leaves out the sessions of the project's bots. */
    readonly withoutBots: boolean;
  }>;
  readonly firstDay: string;
  readonly lastDay: string;
  /** Absent: all days are UTC days. */
  readonly zone?: ReportZone;
}

/** All days of a report are those of a time zone: the columns `day` of its relations, too. Then no partition is clean. */
export interface ReportZone {
  readonly name: string;
  /** The first UTC day of each project that does not keep all. */
  readonly kept: ReadonlyArray<{ readonly id: string; readonly firstDay: string }>;
}

export interface Relations {
  /** Whether the engine computes a CTE once for all its readers, or again for each. */
  readonly sharesCtes: boolean;
  /**
   * The CTEs at the beginning of a report, in order, and their parameters. One of them is `scope`: project_id,
   * first_day (of the project, in the window), dirty_from (the first day whose partition is dirty, or whose rollups
   * are made of other sessions than the report asks for), running_day (a dirty day of which `rollups` has some
   * events and sessions, or one that no event has). `open_events` are the other events of dirty days, and `open_hours` those
   * of hours that are not rolled up. `open_sessions` are the other sessions (`weight` 1), and the rows under which some of
   * them are in `rollups` (`weight` -1). The others define relations that are not tables.
   */
  forReport(scope: ReportScope, signal: AbortSignal): Promise<FoundRelations>;
  /**
   * The CTEs of the relation `profiles` (materialize/profile-columns.ts), of all days that the project holds. The last
   * one is `profiles`. With `addresses` it has only those wallets, and every scan leaves the others out.
   */
  forProfiles(
    project: string,
    addresses: readonly string[] | undefined,
    signal: AbortSignal,
  ): Promise<Pick<FoundRelations, "ctes" | "params" | "kept">>;
  /**
   * The relation `arrivals`: the events of projects that were received from `sinceMs` on, with the columns of `events`.
   * Cheap enough to read once a second. Copies of a message may be among them, with the same dedupe key.
   */
  arrivals(projects: readonly string[], sinceMs: number): FoundRelations;
  /**
   * The relation `written`: project_id, minute_ms (of receipt), events: how many the ledger says were stored. Another
   * number than before means that events of the minute are there that were not; a batch is in it once its events are. On
   * an engine that finds copies later they count too.
   */
  written(projects: readonly string[], sinceMs: number): FoundRelations;
  /**
   * The relation `first_days`: project_id, first_day (of the oldest partition). A project without one has no row. Read
   * from the partition catalogue: however many events there are, it is as cheap.
   */
  firstDays(projects: readonly string[]): FoundRelations;
}

/** As `lastDay`: events of any day. No engine stores a later one. */
export const ANY_DAY = "2149-06-06";

export interface Cte {
  readonly name: string;
  readonly sql: string;
  /** The same rows with only those of its columns that are among these words. */
  readonly narrow?: (words: ReadonlySet<string>) => string;
  /** It is left out of a statement that does not mention it. */
  readonly isOptional?: true;
}

/** Of an engine, or a question, for which nothing of a running day is rolled up (`noneRunning`). */
export const ALL_OPEN: readonly Cte[] = [
  { name: "open_events", sql: "SELECT * FROM events", isOptional: true },
  { name: "open_hours", sql: "SELECT * FROM events", isOptional: true },
  { name: "open_sessions", sql: "SELECT *, 1 AS weight FROM sessions", isOptional: true },
];
