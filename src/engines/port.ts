/**
 * The port to the analytics engine: DuckDB in a process of its own, or ClickHouse. Reports and commands ask by `select`, in the SQL that both engines
 * understand (docs/decisions); what differs between them, the way in, the schema and maintenance, has a method here. Everything it throws is
 * an EngineFailure, or the caller's own abort reason.
 */
export interface AnalyticsEngine {
  select<T>(sql: string, options?: SelectOptions): Promise<Selected<T>>;
  /** The part of a report that differs: how it finds its relations. */
  readonly relations: Relations;
  /** The way in for the event log of one node. */
  openBatchStore(options: BatchStoreOptions): Promise<BatchStore>;
  /** Stores events again that were parked, and moves them in the ledger. */
  replay(rows: readonly ReplayedEvent[]): Promise<ReplayOutcome>;
  /** Rows of a backup, by the names of their columns. Resolves with how many were stored. */
  importRows(table: SourceTable, rows: readonly ExportedRow[]): Promise<number>;
  readonly schema: EngineSchema;
  readonly maintenance: Maintenance;
  /** Throws EngineDown when nobody answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** `{name:Type}` in a statement is a parameter; types are those of ClickHouse: String, Date, Int64, UInt64, Float64, Array(...) of them. */
export type SelectParams = Readonly<Record<string, unknown>>;

export interface SelectOptions {
  readonly params?: SelectParams;
  readonly signal?: AbortSignal;
  /** Below the engine's own limit for a query. */
  readonly timeoutMs?: number;
}

export interface Selected<T> {
  /** Whole numbers come as numbers, days as YYYY-MM-DD. Statements that both engines answer select neither times nor truth values. */
  readonly rows: readonly T[];
  readonly statistics: Statistics;
}

export interface Statistics {
  /** Seconds in the engine. */
  readonly elapsed: number;
  readonly rows_read: number;
  readonly bytes_read: number;
}

/** Whose partitions a report reads, and from which day on: that of the window, or the first one a project keeps. */
export interface ReportScope {
  readonly projects: ReadonlyArray<{ readonly id: string; readonly firstDay: string }>;
  readonly firstDay: string;
  readonly lastDay: string;
}

export interface Relations {
  /**
   * CTEs that a report begins with, in order, and their parameters. `scope` is among them: project_id, first_day (of the project, in the window),
   * dirty_from (the first day whose partition is not clean). Relations that are no tables of their own are, too.
   */
  forReport(scope: ReportScope, signal: AbortSignal): Promise<{ ctes: readonly Cte[]; params: SelectParams }>;
}

export interface Cte {
  readonly name: string;
  readonly sql: string;
}

export interface LogPosition {
  readonly segment: number;
  readonly offset: number;
}

export interface BatchStoreOptions {
  readonly nodeId: string;
  /** For an engine that cannot keep the cursor beside the events. */
  readonly cursorFile: string;
  /** A try failed and is repeated. */
  onRetry?(cause: unknown): void;
}

export interface BatchStore {
  /** Everything below `done` is stored. A batch that a crash cut short ended at `pendingEnd`: the same one has to come again. */
  position(): Promise<{ done: LogPosition; pendingEnd?: LogPosition }>;
  /**
   * Stores a batch once, however often it is sent, and however long that takes. Resolves with what became of its events; rejects only when aborted
   * or when the log and the engine do not fit together.
   */
  store(batch: EncodedBatch, range: BatchRange, signal: AbortSignal): Promise<StoredBatch>;
  /** Makes what is stored durable by itself, and resolves with up to where. For a log that has nothing more, or no room. */
  flush(signal: AbortSignal): Promise<LogPosition>;
  /** For a log that was put back from a backup: everything below is stored. */
  moveTo(position: LogPosition): Promise<void>;
  close(): Promise<void>;
}

/** The engine's cursor is not where the batch begins: its file was put back, or lost what had not been made durable. The writer goes on from there. */
export class CursorMoved extends Error {
  override readonly name = "CursorMoved";
}

export interface BatchRange {
  readonly from: LogPosition;
  readonly to: LogPosition;
  /** Stands for the place and the content of its records. */
  readonly token: string;
}

export interface StoredBatch {
  readonly ledger: readonly LedgerEntry[];
  /** The log is not needed below it any more, whatever happens to the machine. */
  readonly durable: LogPosition;
}

/** What a part of the log becomes. */
export interface EncodedBatch {
  /** RowBinary (warehouse/row-binary.ts), and where each row begins. */
  readonly events: Uint8Array;
  readonly starts: Uint32Array;
  readonly eventCount: number;
  /** JSON lines. */
  readonly parked: Uint8Array;
  /** As `stored`, whether or not they are copies. */
  readonly ledger: readonly LedgerEntry[];
  /** The partitions its events belong to. */
  readonly partitions: readonly EventPartition[];
  /** Receipt of the oldest event. */
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
  /** Of stored and duplicate events their own day, as long as which they are kept; of the rest the day of receipt. */
  readonly day: string;
  readonly events: number;
}

/** A parked event that is a row now. */
export interface ReplayedEvent {
  readonly parked: {
    readonly id: string;
    readonly project_id: string;
    readonly received_at: number;
    readonly reason: string;
  };
  /** By the names of STORED_COLUMNS (warehouse/stored-row.ts). */
  readonly row: ExportedRow;
}

export interface ReplayOutcome {
  /** Ids of parked events that left; those that the engine refused stay. */
  readonly left: readonly string[];
}

/** What is not derived, in the order in which a backup reads them (backup/take-backup.ts says why). */
export const SOURCE_TABLES = ["ledger", "parked_events", "events"] as const;
export type SourceTable = (typeof SOURCE_TABLES)[number];
export type ExportedRow = Readonly<Record<string, string | number>>;

export interface EngineSchema {
  /** Brings it up to date, or up to a version. */
  migrate(options?: { upTo?: number }): Promise<void>;
  /** The version it has, 0 when it is empty. Throws EngineRefused when this release cannot use it. */
  version(): Promise<number>;
  readonly newest: number;
}

export interface Partition {
  readonly project_id: string;
  readonly day: string;
}

export interface Maintenance {
  /** Partitions that are over and dirty, oldest first. */
  listDirty(nowMs: number): Promise<Partition[]>;
  /** Materializes partitions of one day, of several projects. Resolves with those that are clean now. */
  materialize(partitions: readonly Partition[], signal: AbortSignal): Promise<Partition[]>;
  /** Drops what was superseded. */
  collectGarbage(signal: AbortSignal): Promise<void>;
  /** Removes what projects no longer keep: partitions before `firstDay`. Resolves with the number of events removed. */
  removeBefore(limits: ReadonlyArray<{ projectId: string; firstDay: string }>, signal: AbortSignal): Promise<number>;
  /** Resolves with the number of parked events removed. */
  removeParkedBefore(day: string, signal: AbortSignal): Promise<number>;
  /** Makes everything derived dirty, so that `materialize` makes it again. Reports stay exact meanwhile. */
  rebuild(onProgress: (done: number, total: number) => void, signal: AbortSignal): Promise<void>;
}
