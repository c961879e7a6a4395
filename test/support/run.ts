/**
 * Runs the suite the way CI and people do, and proves that it leaves nothing behind: every process of the run carries a mark
 * in its environment, and every file lies below one temporary directory that must be empty at the end.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const PATTERNS = ["src/**/*.test.ts", "test/**/*.test.ts"];
/** Beside the sources lie the tests of pure functions: they start nothing and change nothing that another one could see. */
const UNIT_DIR = "src/";
const MARK = "TEST_RUN_MARK";

const mark = randomUUID();
const scratch = mkdtempSync(join(tmpdir(), "sextant-test-"));
chmodSync(scratch, 0o755);
// Hundreds of processes read the same sources; compiled once, `sextant --help` takes 0.36 s instead of 0.64 s.
const compiled = mkdtempSync(join(tmpdir(), "sextant-compiled-"));
process.env.NODE_COMPILE_CACHE = compiled;
process.env.TMPDIR = scratch;
process.env[MARK] = mark;

const { startPostgres } = await import("./postgres.ts");
const postgres = await startPostgres();
const root = resolve(import.meta.dirname, "../..");
const given = process.argv.slice(2);
const wanted = given.length > 0 ? given : PATTERNS;
const isUnit = (path: string) => relative(root, resolve(path)).startsWith(UNIT_DIR);
// One process for all unit tests: 3.9 CPU seconds for 39 files, where a process for each of them takes 15.4.
const unitCode = await runFiles(wanted.filter(isUnit), ["--test-isolation=none"]);
// One more than there are cores: several files spend most of their time waiting for a lease of 20 s to end.
const concurrency = `--test-concurrency=${availableParallelism() + 1}`;
const code = await runFiles(
  wanted.filter((path) => !isUnit(path)),
  [concurrency],
);
await postgres.stop();

const left = [...(await leftProcesses()), ...readdirSync(scratch).map((name) => `file ${name}`)];
rmSync(scratch, { recursive: true, force: true });
rmSync(compiled, { recursive: true, force: true });
for (const item of left) process.stderr.write(`left behind: ${item}\n`);
// Not process.exitCode: the PostgreSQL package ends the process with 0 when the event loop runs dry.
process.exit(unitCode !== 0 || code !== 0 || left.length > 0 ? 1 : 0);

/** Resolves with the exit code; no files at all are no failure, for `npm test -- file` names one kind only. */
async function runFiles(files: readonly string[], options: readonly string[]): Promise<number> {
  if (files.length === 0) return 0;
  const child = spawn(process.execPath, ["--test", "--test-timeout=120000", ...options, ...files], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, TEST_POSTGRES_URL: postgres.url },
  });
  return new Promise<number>((done) => child.on("exit", (status) => done(status ?? 1)));
}

/** A process that was told to end needs a moment; one that is still there after five seconds was forgotten. */
async function leftProcesses(): Promise<string[]> {
  for (let tries = 0; ; tries += 1) {
    const found = findMarked();
    if (found.length === 0 || tries === 50) return found;
    await delay(100);
  }
}

function findMarked(): string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.flatMap((pid) => {
    try {
      const marked = readFileSync(`/proc/${pid}/environ`, "utf8").includes(`${MARK}=${mark}`);
      return marked ? [`process ${pid}: ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`] : [];
    } catch {
      // It ended between the listing and the reading, or belongs to another user and so not to this run.
      return [];
    }
  });
}
