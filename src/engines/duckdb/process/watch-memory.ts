/**
 * DuckDB's memory limit is soft, so the process watches its own memory: above the limit it ends the running queries,
 * and then itself. The service starts it again.
 */
import type { LocalEngine } from "../engine.ts";

export const EVERY_MS = 250;
/** `interrupt` ends a scan within 23 ms, but not a single function call that creates a huge value. */
const PATIENCE_MS = 2_000;

export interface WatchedProcess {
  /** Resident bytes. */
  rss(): number;
  end(): void;
}

/**
 * By a signal: an exit would wait for the very query that does not end; memory grew by 2 GB in the 15 s of such a wait.
 */
const ITSELF: WatchedProcess = {
  rss: () => process.memoryUsage.rss(),
  end: () => void process.kill(process.pid, "SIGKILL"),
};

export function watchMemory(
  engine: Pick<LocalEngine, "interruptReads">,
  mostBytes: number,
  watched: WatchedProcess = ITSELF,
): NodeJS.Timeout {
  let aboveMs = 0;
  const timer = setInterval(() => {
    if (watched.rss() <= mostBytes) {
      aboveMs = 0;
      return;
    }
    if (aboveMs === 0) process.stderr.write(`the engine uses more than ${mostBytes} bytes: ending its queries\n`);
    engine.interruptReads();
    aboveMs += EVERY_MS;
    if (aboveMs < PATIENCE_MS) return;
    process.stderr.write("memory stays above the limit: the engine ends itself and is restarted\n");
    watched.end();
  }, EVERY_MS);
  return timer.unref();
}
