/**
 * Test files that need something not every platform has. Where it is missing, the runner skips and counts their tests
 * and lists the files. Without its line here a file runs everywhere. A single test uses `{ skip: whyNoChromium() ??
 * false }`.
 */
import { existsSync, globSync } from "node:fs";
import { resolve } from "node:path";
import { whyNoChromium } from "./platform.ts";

const CHROMIUM = globSync("test/browser/*.test.ts", { cwd: resolve(import.meta.dirname, "../..") });

const NEEDS = [{ files: CHROMIUM, whyNot: whyNoChromium }];

/** File to reason, for those that cannot run here. Paths are relative to the root of the repository. */
export function findUnmetNeeds(wanted: readonly string[]): Map<string, string> {
  const unmet = new Map<string, string>();
  for (const { files, whyNot } of NEEDS) {
    const gone = files.find((file) => !existsSync(resolve(import.meta.dirname, "../..", file)));
    if (gone !== undefined) throw new Error(`test/support/needs.ts names ${gone}, which is not there`);
    const reason = whyNot();
    if (reason === undefined) continue;
    for (const file of files) if (wanted.includes(file) && !unmet.has(file)) unmet.set(file, reason);
  }
  return unmet;
}
