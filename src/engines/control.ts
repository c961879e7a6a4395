import type { Kysely, Transaction } from "kysely";

/** The capabilities of a control store. Callers ask for a capability, never for a backend's name. */
export const BACKENDS = {
  /** One file and one service that writes. CLI commands may write as well, in short transactions. */
  sqlite: {
    sharedBetweenNodes: false,
    unloggedTables: false,
    skipLocked: false,
    byteOrder: "BINARY",
    answersInThread: true,
  },
  /** Any number of nodes. */
  postgres: {
    sharedBetweenNodes: true,
    unloggedTables: true,
    skipLocked: true,
    byteOrder: "C",
    answersInThread: false,
  },
} as const;

export type BackendName = keyof typeof BACKENDS;
export type Backend = (typeof BACKENDS)[BackendName];

/** The port of the control store: small reads, and writes of one transaction each. */
export interface ControlEngine<DB> {
  readonly name: BackendName;
  readonly backend: Backend;
  readonly read: Kysely<DB>;
  /**
   * Runs `work` in one transaction that commits durably before the promise resolves. On SQLite writers queue here, so
   * `work` awaits nothing but its own statements.
   */
  write<T>(work: (tx: Transaction<DB>) => Promise<T>): Promise<T>;
  /**
   * As `write`, without a time limit: for a migration of a large table, or for waiting until another node has migrated.
   */
  upgrade<T>(work: (tx: Transaction<DB>) => Promise<T>): Promise<T>;
  /** Runs read-only `work` on a consistent snapshot. It blocks no writer. */
  snapshot<T>(work: (tx: Transaction<DB>) => Promise<T>): Promise<T>;
  /** Why the last write failed, if the store is unavailable for writes; undefined after a write that succeeded. */
  writeFailure(): unknown;
  /** Describes a failure for the public readiness check. */
  describeFailure(cause: unknown): string;
  /** True when the store cannot be reached or cannot write now; false for a wrong statement. */
  isUnavailable(cause: unknown): boolean;
  close(): Promise<void>;
}

/** The store cannot be opened. The message is one line for the operator who starts the service. */
export class ControlOpenError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "ControlOpenError";
  }
}
