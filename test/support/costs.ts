/**
 * What each test file costs, printed at the end of a run: files that grow are seen before the run has become long.
 * Seconds of a file are those of its tests, one after the other; seconds of CPU are those of the whole process that ran
 * it, with the processes that it started.
 */
import { existsSync, readFileSync } from "node:fs";
import type { EndedTest } from "./record-tests.ts";

/** Source for the process of test files: writes its seconds of CPU into `path` after the last test. */
export function writeCpuAfterLast(path: string): string {
  return `import { after } from "node:test";
import { readFileSync, writeFileSync } from "node:fs";
import { platform } from "node:os";
after(() => {
  const fields = platform() === "linux" ? readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ") : [];
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  writeFileSync(${JSON.stringify(path)}, String(ticks / 100));
});
`;
}

/** By file, the most expensive first; files below a second are one line. */
export function describeCosts(
  root: string,
  tests: readonly EndedTest[],
  processes: readonly { readonly files: readonly string[]; readonly ended: string }[],
): string {
  const seconds = new Map<string, number>();
  for (const { file, ms } of tests) {
    const name = file.replace(`${root}/`, "");
    seconds.set(name, (seconds.get(name) ?? 0) + ms / 1000);
  }
  const rows = [...seconds].sort(([, one], [, other]) => other - one);
  const long = rows.filter(([, spent]) => spent >= 1);
  const rest = rows.filter(([, spent]) => spent < 1).reduce((sum, [, spent]) => sum + spent, 0);
  const cpu = processes.flatMap(({ files, ended }) => {
    const spent = existsSync(ended) ? Number(readFileSync(ended, "utf8")) : 0;
    return spent >= 5 ? [{ name: nameOf(files), spent }] : [];
  });
  cpu.sort((one, other) => other.spent - one.spent);
  return [
    "seconds of a test file",
    ...long.map(([file, spent]) => `${spent.toFixed(1).padStart(7)}  ${file}`),
    `${rest.toFixed(1).padStart(7)}  ${rows.length - long.length} files below a second`,
    "seconds of CPU of a process",
    ...cpu.map(({ name, spent }) => `${spent.toFixed(0).padStart(7)}  ${name}`),
    "",
  ].join("\n");
}

function nameOf([first = "", ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
