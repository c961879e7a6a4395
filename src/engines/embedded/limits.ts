/** What one embedded engine may use. Every number is an upper bound: a request may ask for less, never for more. */
export interface EngineLimits {
  /** Longest run of a statement that reads. A report that needs longer blocks a slot for everybody else. */
  readonly querySeconds: number;
  /** Longest run of a statement that changes data; a 256 MiB body takes about 2 s, the rest is room for a slow disk. */
  readonly insertSeconds: number;
  readonly queryMemoryBytes: number;
  /** Of the whole engine, caches and merges included. Past it a query fails with 241 instead of the kernel killing us. */
  readonly engineMemoryBytes: number;
  /** SELECTs and inserts have their own slots, so that neither starves the other. */
  readonly runningQueries: number;
  readonly waitingQueries: number;
  readonly runningInserts: number;
  readonly waitingInserts: number;
  readonly insertBytes: number;
  /** Text of one statement, parameters excluded; ClickHouse's own default is 256 KiB. */
  readonly statementBytes: number;
}

export const DEFAULT_LIMITS: EngineLimits = {
  querySeconds: 30,
  insertSeconds: 120,
  queryMemoryBytes: 1024 ** 3,
  engineMemoryBytes: 2 * 1024 ** 3,
  runningQueries: 4,
  waitingQueries: 64,
  runningInserts: 2,
  waitingInserts: 64,
  insertBytes: 256 * 1024 ** 2,
  statementBytes: 1024 ** 2,
};
