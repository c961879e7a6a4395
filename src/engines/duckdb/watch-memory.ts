/** DuckDB's memory limit is soft, so that the process watches itself: first it ends the queries that run, then itself. The service starts it again. */
import type { LocalEngine } from "./local.ts";

const EVERY_MS = 250;
/** `interrupt` ends a scan within 23 ms, but not a single call of a function that makes a huge value. */
const PATIENCE_MS = 2_000;
/** Out of memory, by convention of the BSDs' sysexits: a shortage that the operating system would not resolve. */
const EXIT_CODE = 71;

export function watchMemory(engine: Pick<LocalEngine, "interruptReads">, mostBytes: number): void {
  let aboveMs = 0;
  const timer = setInterval(() => {
    if (process.memoryUsage.rss() <= mostBytes) {
      aboveMs = 0;
      return;
    }
    if (aboveMs === 0) process.stderr.write(`the engine uses more than ${mostBytes} bytes: its queries are ended\n`);
    engine.interruptReads();
    aboveMs += EVERY_MS;
    if (aboveMs < PATIENCE_MS) return;
    process.stderr.write("that did not help: the engine ends itself and is started again\n");
    process.exit(EXIT_CODE);
  }, EVERY_MS);
  timer.unref();
}
