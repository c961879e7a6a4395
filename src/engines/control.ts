import type { Kysely, Transaction } from "kysely";

/** What a control store can do. Callers ask for a capability, never for a backend's name. */
export const BACKENDS = {
  /** One file, one writing service; a CLI beside it may write too, in short transactions. */
  sqlite: { sharedBetweenNodes: false, unloggedTables: false, skipLocked: false, byteOrder: "BINARY" },
  /** Any number of nodes. */
  postgres: { sharedBetweenNodes: true, unloggedTables: true, skipLocked: true, byteOrder: "C" },
} as const;

export type BackendName = keyof typeof BACKENDS;
export type Backend = (typeof BACKENDS)[BackendName];

/** The control store's port: small reads, and writes that are one transaction each. */
export interface ControlEngine<DB> {
  readonly name: BackendName;
  readonly backend: Backend;
  readonly read: Kysely<DB>;
  /**
   * Runs `work` in one transaction that commits durably before the promise resolves. On SQLite writers queue here, so
   * `work` awaits nothing but its own statements.
   */
  write<T>(work: (tx: Transaction<DB>) => Promise<T>): Promise<T>;
  /** As `write`, for as long as it takes: a migration of a large table, or its wait for that of another node. */
  upgrade<T>(work: (tx: Transaction<DB>) => Promise<T>): Promise<T>;
  /** Runs `work` on the store as it is at one moment, whatever is written meanwhile. It reads only, and holds up nobody. */
  snapshot<T>(work: (tx: Transaction<DB>) => Promise<T>): Promise<T>;
  /** Why the last write failed, where that means that the store takes none now; undefined after one that succeeded. */
  writeFailure(): unknown;
  /** What a failure means, in public words. */
  describeFailure(cause: unknown): string;
  /** True when an error means that the store cannot be reached or cannot take writes now, rather than a wrong statement. */
  isUnavailable(cause: unknown): boolean;
  close(): Promise<void>;
}

/** A store that cannot be opened; the message is one line for the person who starts the service. */
export class ControlOpenError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "ControlOpenError";
  }
}
