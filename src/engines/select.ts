/** Statements that read, and their answers. */

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
