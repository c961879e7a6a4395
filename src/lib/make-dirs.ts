import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes a directory and those above it that are missing, for their owner alone. Returns the topmost one it made. Written
 * by hand because Node's recursive mkdir never returns where the system says ENOENT for a directory whose parent exists:
 * below /proc a start used a whole core for ever.
 */
export function makeDirs(dir: string): string | undefined {
  const missing: string[] = [];
  for (let at = resolve(dir); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const each of missing) {
    try {
      mkdirSync(each, { mode: 0o700 });
    } catch (cause) {
      // Another process was faster.
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
    }
  }
  if (!statSync(dir).isDirectory()) throw Object.assign(new Error("it is not a directory"), { syscall: "mkdir" });
  return missing[0];
}
