import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

const RETRY_MS = 50;

/**
 * One process per engine directory. The kernel holds the lock, so that kill -9 releases it. Node has no flock; an
 * exclusive SQLite transaction on a separate file serves as one. A predecessor that is just ending has `waitMs` to do
 * so.
 */
export async function lockDirectory(dir: string, waitMs: number): Promise<{ release(): void }> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const lock = tryLock(join(dir, "engine.lock"));
    if (lock !== undefined) return { release: () => lock.close() };
    if (performance.now() > deadline) {
      throw new Error(`the engine directory ${dir} is in use by another process`);
    }
    await sleep(RETRY_MS);
  }
}

function tryLock(path: string): DatabaseSync | undefined {
  const database = new DatabaseSync(path);
  try {
    database.exec("BEGIN EXCLUSIVE");
    return database;
  } catch (cause) {
    database.close();
    if (cause instanceof Error && /database is locked/.test(cause.message)) return undefined;
    throw cause;
  }
}
