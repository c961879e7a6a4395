import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { RawResult } from "./chdb.ts";

/**
 * The native part of `chdb` without its Session class: Session.close() waits for every running query of the process.
 * Only `run` works off the event loop.
 */
export interface Native {
  open(dir: string, args?: readonly string[]): Connection;
  /** Only when no query runs on the connection: the engine aborts otherwise. */
  close(connection: Connection): void;
  run(connection: Connection, sql: string, format: string): Promise<RawResult>;
}

/** Opaque. One connection runs one query at a time and carries its own settings, parameters and database. */
export type Connection = object & { readonly connection?: never };

interface Addon {
  CreateConnection(dir: string, args?: readonly string[]): Connection;
  CloseConnection(connection: Connection): void;
  QueryAsyncConnection(connection: Connection, sql: string, format: string): Promise<RawResult>;
}

export function loadNative(): Native {
  const require = createRequire(import.meta.url);
  const loader: { loadNative(): Addon } = require(join(dirname(require.resolve("chdb")), "dist", "loader.js"));
  const addon = loader.loadNative();
  return {
    open: (dir, args) => (args === undefined ? addon.CreateConnection(dir) : addon.CreateConnection(dir, args)),
    close: (connection) => addon.CloseConnection(connection),
    run: (connection, sql, format) => addon.QueryAsyncConnection(connection, sql, format),
  };
}
