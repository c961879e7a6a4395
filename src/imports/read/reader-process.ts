/**
 * The beginning of a process that reads one file and writes lines to its output. It ends with its parent, and when the
 * file takes more memory than a file may: what is in a file that somebody has sent can harm nobody else.
 */
import { setPriority } from "node:os";
import { ImportError } from "../import-error.ts";
import { READER_MOST_MB, REFUSED_CODE } from "./reader-limits.ts";

const EVERY_MS = 50;

/** Writes what `read` gives, and ends the process. Each piece is lines, the last one with its end. */
export async function runReader(read: (args: readonly string[]) => AsyncIterable<string>): Promise<never> {
  // Below everything that somebody waits for.
  try {
    setPriority(10);
  } catch {
    // Some systems forbid it: then all have the same priority.
  }
  const endNow = () => void process.kill(process.pid, "SIGKILL");
  process.once("disconnect", endNow);
  // The parent ends it.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => undefined);
  setInterval(() => {
    if (process.memoryUsage.rss() > READER_MOST_MB * 1024 * 1024) endNow();
  }, EVERY_MS).unref();
  try {
    for await (const lines of read(process.argv.slice(2))) await write(lines);
    process.exit(0);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    await new Promise<void>((resolve) => process.stderr.write(message, () => resolve()));
    process.exit(cause instanceof ImportError ? REFUSED_CODE.said : REFUSED_CODE.failed);
  }
}

function write(lines: string): Promise<void> {
  return new Promise((resolve, reject) => process.stdout.write(lines, (cause) => (cause ? reject(cause) : resolve())));
}
