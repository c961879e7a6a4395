import type { ImportedDay, ImportOfDays } from "./imported-days.ts";
import type { RunUserQuery } from "./user-sql/user-query.ts";
import { WALLET_TABLE_NAMES, type WalletRows, type WalletTable } from "./wallet-rows.ts";

/**
 * The port to the analytics engine: DuckDB in a child process, or ClickHouse. Reports and commands use `select`, with
 * SQL that both engines accept (docs/decisions). Everything that differs (storing batches, schema, maintenance) has a
 * method here. It throws only an EngineFailure or the caller's own abort reason. A new method is a line of METHODS and
 * its implementation in `engine.ts` of each engine.
 */
export interface AnalyticsEngine extends Methods<"engine"> {
  select<T>(sql: string, options?: SelectOptions): Promise<Selected<T>>;
  /** Answers a statement that a user wrote; throws StatementRefused if it cannot. */
  runUserQuery: RunUserQuery;
  /** The engine's part of a report: its relations. */
  readonly relations: Relations;
  /** Stores the batches of one node's event log. */
  openBatchStore(options: BatchStoreOptions): Promise<BatchStore>;
  readonly schema: Methods<"schema"> & { readonly newest: number };
  readonly maintenance: Maintenance;
  /** Throws EngineDown when the engine is unavailable. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * `{name:Type}` in a statement is a parameter. The types are ClickHouse's: String, Date, Int64, UInt64, Float64 and
 * Array(...) of them.
 */
export type SelectParams = Readonly<Record<string, unknown>>;

export interface SelectOptions {
  readonly params?: SelectParams;
  readonly signal?: AbortSignal;
  /** Shorter than the engine's own query limit; a longer one has no effect. */
  readonly timeoutMs?: number;
  /** What the statement reads, from its relations: callers with the same statement may have the same rows. */
  readonly reads?: Reads;
  /** The same rows with less work for an engine that can keep a relation. Others run the statement itself. */
  readonly kept?: KeptStatement;
}

/** A relation that many statements read, and that an engine may compute once for all of them. */
export interface KeptRelation {
  /** A SELECT of its rows. */
  readonly rows: string;
  /** A SELECT of `mark` and `n`, a text and a number: while the text is the same, so are the rows; there are about n. */
  readonly mark: string;
  /**
   * After how many statements of the same mark it is worth keeping. Without a number: after one of any mark.
   */
  readonly worthAfter?: number;
}

/** A statement that reads the relation by the name KEPT_RELATION. */
export interface KeptStatement extends KeptRelation {
  readonly sql: string;
}

export const KEPT_RELATION = "kept_relation";

/** All that decides the rows of a statement, besides its text and parameters: events of projects up to a day. */
export interface Reads {
  readonly projects: readonly string[];
  readonly lastDay: string;
  /** Where a change of those events also changes the parameters. */
  readonly isSettled?: boolean;
}

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

export interface Selected<T> {
  /** Integers are numbers, days are YYYY-MM-DD. A statement for both engines selects neither times nor booleans. */
  readonly rows: readonly T[];
  readonly statistics: Statistics;
}

export interface Statistics {
  /** Seconds that the engine spent. */
  readonly elapsed: number;
  readonly rows_read: number;
  readonly bytes_read: number;
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

export interface LogPosition {
  readonly segment: number;
  readonly offset: number;
}

export function isSamePosition(one: LogPosition, other: LogPosition): boolean {
  return one.segment === other.segment && one.offset === other.offset;
}

export interface BatchStoreOptions {
  readonly nodeId: string;
  /** For an engine that cannot store the cursor with the events. */
  readonly cursorFile: string;
  /** Called when a try failed and will be repeated. */
  onRetry?(cause: unknown): void;
}

export interface BatchStore extends Methods<"batches"> {
  /** What the engine stores. */
  readonly form: BatchForm;
  /**
   * Stores a batch exactly once, however often it is sent, and retries until it is stored. Resolves with the outcome of
   * its events. Rejects only when aborted, or when the log and the engine's cursor disagree.
   */
  store(batch: EncodedBatch, range: BatchRange, signal: AbortSignal): Promise<StoredBatch>;
  close(): Promise<void>;
}

/**
 * The engine's cursor differs from the start of the batch: its file was restored, or lost batches that were not yet
 * durable. The writer continues at the cursor.
 */
export class CursorMoved extends Error {
  override readonly name = "CursorMoved";
}

export interface BatchRange {
  readonly from: LogPosition;
  readonly to: LogPosition;
  /** Identifies the position and the content of its records. */
  readonly token: string;
}

export interface StoredBatch {
  readonly ledger: readonly LedgerEntry[];
  /** The log below it is no longer needed, even after a power loss. */
  readonly durable: LogPosition;
}

/** Columns (event-block.ts), or rows in RowBinary (row-binary.ts). */
export type BatchForm = "columns" | "rows";

/** A batch of the log, transformed and encoded. */
export interface EncodedBatch {
  readonly form: BatchForm;
  /** One after the other. */
  readonly events: readonly Uint8Array[];
  /** The offset of each row of RowBinary, in all of them. */
  readonly starts: Uint32Array;
  readonly eventCount: number;
  /** JSON lines. */
  readonly parked: Uint8Array;
  /** Copies are counted as `stored`: the transform cannot recognise them. */
  readonly ledger: readonly LedgerEntry[];
  /** The partitions its events belong to. */
  readonly partitions: readonly EventPartition[];
  /** When the oldest event was received. */
  readonly firstReceivedAtMs: number;
}

export interface EventPartition {
  readonly project_id: string;
  /** UTC day of `timestamp`. */
  readonly day: string;
  readonly dedupe_day: string;
}

export const LEDGER_OUTCOMES = ["stored", "duplicate", "parked", "refused"] as const;

export interface LedgerEntry {
  readonly project_id: string;
  /** Epoch seconds of the minute of receipt. */
  readonly minute: number;
  readonly outcome: (typeof LEDGER_OUTCOMES)[number];
  readonly reason: string;
  /**
   * Stored and duplicate events: the day of the events, whose retention also applies to this entry. Others: the day of
   * receipt.
   */
  readonly day: string;
  readonly events: number;
}

/** A parked event and the row that it became. */
export interface ReplayedEvent {
  readonly parked: {
    readonly id: string;
    readonly project_id: string;
    readonly received_at: number;
    readonly reason: string;
  };
  /** Keyed by STORED_COLUMNS (warehouse/stored-row.ts). */
  readonly row: ExportedRow;
}

export interface ReplayOutcome {
  /** Ids of the events that are no longer parked. Events that the engine refused stay parked. */
  readonly left: readonly string[];
}

/** The tables that are not derived, in the order of a backup (backup/take-backup.ts explains it). */
export const SOURCE_TABLES = ["ledger", "parked_events", "events", ...WALLET_TABLE_NAMES, "imported_days"] as const;
export type SourceTable = "ledger" | "parked_events" | "events" | WalletTable | "imported_days";
export type ExportedRow = Readonly<Record<string, string | number>>;

export interface Partition {
  readonly project_id: string;
  readonly day: string;
}

/** A partition that is to be materialized. */
export interface DuePartition extends Partition {
  /** Its rollups are to leave out the sessions of bots. */
  readonly without_bots: boolean;
}

/** Neighbours of the list with the same `group` are materialized together. */
export interface ListedPartition extends DuePartition {
  readonly group: number;
}

/** The first day that a project keeps. */
export interface KeptDays {
  readonly projectId: string;
  readonly firstDay: string;
}

/** A wallet that is to be erased. */
export interface ErasedWallet {
  readonly projectId: string;
  readonly address: string;
}

/** How much was erased. */
export interface Erased {
  readonly events: number;
  /** Anonymous ids that were seen with this wallet alone. */
  readonly visitors: number;
  readonly properties: number;
  readonly labels: number;
  /** Parked events whose text has the address. */
  readonly parked: number;
}

export interface WantedHours {
  readonly nowMs: number;
  /** The projects that leave bots out. */
  readonly withoutBots: readonly string[];
  /** Projects with fewer new events are left out: a report reads these in a few milliseconds. */
  readonly fewestEvents: number;
}

/** Called with the number of done and of all partitions. */
export type Progress = (done: number, total: number) => void;

/**
 * The methods whose arguments are values, a signal or a callback of progress. The process of DuckDB is called by their
 * names (duckdb/process/).
 */
export const METHODS = {
  engine: {
    /** Stores parked events and moves them in the ledger. */
    replay: method<(rows: readonly ReplayedEvent[]) => Promise<ReplayOutcome>>(),
    /** Imports rows of a backup, keyed by column name. Resolves with the number of stored rows. */
    importRows: method<(table: SourceTable, rows: readonly ExportedRow[]) => Promise<number>>(),
    /** Stores properties and labels of wallets. The latest counts, whatever comes last; writing one again changes nothing. */
    writeWallets: method<(rows: WalletRows) => Promise<void>>(),
    /** Stores sums of days. Writing one again changes nothing. */
    writeImportedDays: method<(rows: readonly ImportedDay[]) => Promise<void>>(),
  },
  schema: {
    /** Applies pending migrations, up to a version if one is given. */
    migrate: method<(options?: { upTo?: number }) => Promise<void>>(),
    /** The applied version, 0 for an empty database. Throws EngineRefused when this release cannot use the schema. */
    version: method<() => Promise<number>>(),
  },
  batches: {
    /**
     * Everything below `done` is stored. `pendingEnd` is the end of a batch that a crash interrupted: the same batch
     * must be sent again.
     */
    position: method<() => Promise<{ done: LogPosition; pendingEnd?: LogPosition }>>(),
    /** Makes stored batches durable and resolves with the durable position. Used when the log is drained or full. */
    flush: method<(signal: AbortSignal) => Promise<LogPosition>>(),
    /** Declares everything below `position` as stored, for a log restored from a backup. */
    moveTo: method<(position: LogPosition) => Promise<void>>(),
  },
  maintenance: {
    /** Rebuilds the sessions that a migration removed. Reports stay exact meanwhile. */
    rebuildOutdated: method<(signal: AbortSignal) => Promise<void>>(),
    /**
     * Partitions of finished days that are dirty, each after the earlier ones of its project; after them those of projects
     * whose rollups are to leave bots out, and do not yet, or the reverse. `withoutBots` are the projects that leave bots out.
     */
    listDirty: method<(nowMs: number, withoutBots: readonly string[]) => Promise<ListedPartition[]>>(),
    /** Materializes partitions, those of a project in the order of days. Resolves with those that are now clean. */
    materialize: method<(partitions: readonly DuePartition[], signal: AbortSignal) => Promise<Partition[]>>(),
    /**
     * Rolls up the running day, so that reports read what came later. Resolves with the number of projects.
     * An engine may do nothing: reports are as exact, and slower.
     */
    rollUpHours: method<(wanted: WantedHours, signal: AbortSignal) => Promise<number>>(),
    /** Removes superseded and unfinished revisions. */
    collectGarbage: method<(signal: AbortSignal) => Promise<void>>(),
    /** Removes partitions before the project's `firstDay`. Resolves with the number of removed events. */
    removeBefore: method<(limits: readonly KeptDays[], signal: AbortSignal) => Promise<number>>(),
    /** Resolves with the number of removed parked events. */
    removeParkedBefore: method<(day: string, signal: AbortSignal) => Promise<number>>(),
    /** Removes all properties and labels of wallets of these projects. Resolves with the number of removed rows. */
    removeWallets: method<(projects: readonly string[], signal: AbortSignal) => Promise<number>>(),
    /** Removes the sums of days of an import, or of a project. Resolves with the number of removed rows. */
    removeImportedDays: method<(of: ImportOfDays, signal: AbortSignal) => Promise<number>>(),
    /** Erases a wallet and what is known of its person. Reports are exact meanwhile and afterwards. */
    eraseWallet: method<(wallet: ErasedWallet, signal: AbortSignal) => Promise<Erased>>(),
    /** Marks all derived data dirty, so that `materialize` makes it again. Reports stay exact meanwhile. */
    rebuild: method<(onProgress: Progress, signal: AbortSignal) => Promise<void>>(),
  },
};

export type MethodGroup = keyof typeof METHODS;
export type Methods<Group extends MethodGroup> = {
  [Name in keyof (typeof METHODS)[Group]]: (typeof METHODS)[Group][Name] extends Method<infer Run> ? Run : never;
};
export type Maintenance = Methods<"maintenance">;

/** The type of a method, at run time nothing but its name in the table. */
interface Method<Run> {
  readonly run?: Run;
}

function method<Run extends (...args: never[]) => Promise<unknown>>(): Method<Run> {
  return {};
}
