import type { Connection, Native } from "./native.ts";

/**
 * Connections that are used once. readonly cannot be taken back on a connection, settings and temporary tables stay on
 * it, and after a failed query the next answer began with the failed one's rows (measured: 313,000 lines of it). A fresh
 * one costs 0.3 ms, so a few are opened ahead, off the request's path.
 */
export interface Connections {
  take(): Connection;
  /** Only after everything that ran on it has settled. */
  drop(connection: Connection): void;
  close(): void;
}

export function openConnections(native: Native, dir: string, ahead: number): Connections {
  const warm: Connection[] = [];
  let refill: NodeJS.Immediate | undefined;
  let closed = false;

  function fill(): void {
    refill = undefined;
    if (closed || warm.length >= ahead) return;
    warm.push(native.open(dir));
    schedule();
  }

  function schedule(): void {
    if (!closed && warm.length < ahead) refill ??= setImmediate(fill);
  }

  schedule();
  return {
    take() {
      const connection = warm.pop() ?? native.open(dir);
      schedule();
      return connection;
    },
    drop(connection) {
      native.close(connection);
    },
    close() {
      closed = true;
      if (refill !== undefined) clearImmediate(refill);
      for (const connection of warm.splice(0)) native.close(connection);
    },
  };
}
