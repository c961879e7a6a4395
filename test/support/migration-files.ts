import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";

const SRC = resolve(import.meta.dirname, "../../src");
const PATTERNS = ["control/migrations/0*.ts", "engines/*/schema/0*.sql"];

/** The hash of every migration of the stores, by its path below `src`. A released one never changes. */
export function hashMigrations(): Record<string, string> {
  const files = PATTERNS.flatMap((pattern) => globSync(pattern, { cwd: SRC })).filter(
    (file) => !basename(file).endsWith(".test.ts"),
  );
  return Object.fromEntries(
    files.sort().map((file) => [
      file,
      createHash("sha256")
        .update(readFileSync(join(SRC, file)))
        .digest("hex"),
    ]),
  );
}
