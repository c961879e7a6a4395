import type { Connection, Native } from "./native.ts";
import { useSql } from "./settings.ts";

/**
 * Connections that are used once. readonly cannot be taken back on a connection, settings and temporary tables stay on
 * it, and after a failed query the next answer began with the failed one's rows (measured: 313,000 lines of it). A fresh
 * one costs 0.3 ms and choosing its database as much, so a few are made ahead, off the request's path.
 */
export interface Connections {
  /** In `database` when there is one at hand: nearly every statement is for the same. */
  take(database: string): Ready;
  /** Only after everything that ran on it has settled. */
  drop(connection: Connection): void;
  /** Nothing runs on those that are made ahead. */
  idle(): boolean;
  close(): void;
}

export interface Ready {
  readonly connection: Connection;
  readonly database: string;
}

export function openConnections(native: Native, dir: string, ahead: number): Connections {
  const warm: Ready[] = [];
  let wanted = "";
  let refill: NodeJS.Immediate | undefined;
  let filling = 0;
  let closed = false;

  async function fill(): Promise<void> {
    refill = undefined;
    if (closed || warm.length + filling >= ahead) return;
    filling += 1;
    const ready = await openIn(wanted);
    filling -= 1;
    if (closed) native.close(ready.connection);
    else warm.push(ready);
    schedule();
  }

  async function openIn(database: string): Promise<Ready> {
    const connection = native.open(dir);
    if (database === "") return { connection, database };
    try {
      await native.run(connection, useSql(database), "Null");
      return { connection, database };
    } catch {
      // It may have been dropped since. Whoever asks for it next gets the engine's own words about that.
      native.close(connection);
      return { connection: native.open(dir), database: "" };
    }
  }

  function schedule(): void {
    if (!closed && warm.length + filling < ahead) refill ??= setImmediate(() => void fill());
  }

  schedule();
  return {
    take(database) {
      if (database !== "") wanted = database;
      // One that is in another database can go to it; only one that is in none stays where "none" means the default.
      const at = warm.findLastIndex((each) => database !== "" || each.database === "");
      const [ready] = at < 0 ? [] : warm.splice(at, 1);
      schedule();
      return ready ?? { connection: native.open(dir), database: "" };
    },
    drop(connection) {
      native.close(connection);
    },
    idle: () => filling === 0,
    close() {
      closed = true;
      if (refill !== undefined) clearImmediate(refill);
      for (const { connection } of warm.splice(0)) native.close(connection);
    },
  };
}
