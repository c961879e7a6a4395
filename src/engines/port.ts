import type { BatchForm, BatchRange, EncodedBatch, LogPosition, StoredBatch } from "./batch.ts";
import type { ImportedDay, ImportOfDays } from "./imported-days.ts";
import type {
  DuePartition,
  Erased,
  ErasedWallet,
  KeptDays,
  ListedPartition,
  Partition,
  Progress,
  WantedHours,
} from "./maintenance.ts";
import type { Relations } from "./relations.ts";
import type { Selected, SelectOptions } from "./select.ts";
import type { ExportedRow, ReplayedEvent, ReplayOutcome, SourceTable } from "./source-tables.ts";
import type { RunUserQuery } from "./user-sql/user-query.ts";
import type { WalletRows } from "./wallet-rows.ts";

/**
 * The port to the analytics engine: DuckDB in a child process, or ClickHouse. Reports and commands use `select`, with
 * SQL that both engines accept (docs/decisions). Everything that differs (storing batches, schema, maintenance) has a
 * method here. It throws only an EngineFailure or the caller's own abort reason. A new method is a line of METHODS and
 * its implementation in `engine.ts` of each engine. What they take and give is beside it: `select.ts`, `relations.ts`,
 * `batch.ts`, `maintenance.ts` and `source-tables.ts`.
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
