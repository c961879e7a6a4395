/** DuckDB's memory limit is soft, so that the process watches itself: first it ends the queries that run, then itself. The service starts it again. */
import type { LocalEngine } from "./local.ts";

export const EVERY_MS = 250;
/** `interrupt` ends a scan within 23 ms, but not a single call of a function that makes a huge value. */
const PATIENCE_MS = 2_000;

export interface WatchedProcess {
  /** The bytes it has in memory. */
  rss(): number;
  end(): void;
}

/** By a signal: an exit would wait for the very query that does not end, and grew by 2 GB in 15 s of that. */
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
    process.stderr.write("that did not help: the engine ends itself and is restarted\n");
    watched.end();
  }, EVERY_MS);
  return timer.unref();
}
