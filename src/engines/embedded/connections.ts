import type { Connection, Native } from "./native.ts";
import { useSql } from "./settings.ts";

/**
 * Connections that are used once. readonly cannot be taken back on a connection, settings and temporary tables stay on
 * it, and after a failed query the next answer began with the failed one's rows (measured: 313,000 lines of it). A fresh
 * one costs 0.3 ms, choosing its database as much and closing it 0.1 ms, so a few are made ahead and used ones are
 * closed later, off the request's path.
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

/**
 * After a statement has begun or ended. Its answer is out by then, and one that has begun is past what it does before the
 * engine's own clock runs; at once either of these had to share two cores with this.
 */
const UPKEEP_AFTER_MS = 5;

export function openConnections(native: Native, dir: string, ahead: number): Connections {
  const warm: Ready[] = [];
  const used: Connection[] = [];
  let wanted = "";
  let upkeep: NodeJS.Timeout | undefined;
  let filling = 0;
  let closed = false;

  const missing = () => ahead - warm.length - filling;

  function schedule(): void {
    if (closed || upkeep !== undefined || (missing() === 0 && used.length === 0)) return;
    // Many statements at once would soon find none.
    const afterMs = missing() > ahead / 2 ? 0 : UPKEEP_AFTER_MS;
    upkeep = setTimeout(() => void keepUp(), afterMs).unref();
  }

  async function keepUp(): Promise<void> {
    upkeep = undefined;
    try {
      closeUsed();
      if (missing() > 0) await fill();
    } catch {
      // Out of memory, say: whoever needs one next makes it, and hears why not.
      return;
    }
    schedule();
  }

  async function fill(): Promise<void> {
    filling += 1;
    const ready = await openIn(wanted).finally(() => {
      filling -= 1;
    });
    if (closed) native.close(ready.connection);
    else warm.push(ready);
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
      return openIn("");
    }
  }

  function closeUsed(): void {
    for (const connection of used.splice(0)) native.close(connection);
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
      used.push(connection);
      if (closed) closeUsed();
      else schedule();
    },
    idle: () => filling === 0,
    close() {
      closed = true;
      clearTimeout(upkeep);
      closeUsed();
      for (const { connection } of warm.splice(0)) native.close(connection);
    },
  };
}
