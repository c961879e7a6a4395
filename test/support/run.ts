/**
 * Runs the suite as CI and people do, and checks that it leaves nothing behind: every process of the run has a mark in
 * its environment, and every file is in one temporary directory that must be empty at the end.
 *
 * `npm test -- [files, folders or patterns] [-t name] [--long]`. Prints at the end which tests this machine could not run, and why.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { ONLY_LONG, SEED } from "../../src/lib/testing.ts";
import { describeCosts, writeCpuAfterLast } from "./costs.ts";
import { findUnmetNeeds } from "./needs.ts";
import { isCostly, LONG, leftToLong, planProcesses, type TestProcess, TIMED } from "./plan.ts";
import { whyNoProc } from "./platform.ts";
import type { EndedTest, FailedTest, SkippedTest } from "./record-tests.ts";
import { offerClickHouse } from "./shared-clickhouse.ts";
import { offerPostgres } from "./shared-postgres.ts";

const PATTERNS = ["src/**/*.test.ts", "test/**/*.test.ts"];
/** `--long` runs the tests of minutes and all costly ones, and those again that otherwise take some of their cases. */
const TAKES_SOME = /\bsampled\(|\bdrawnStores\(|\bIS_LONG\b|\bONLY_LONG\b|\bBOTH_IN_LONG\b/;
const MARK = "TEST_RUN_MARK";

const root = resolve(import.meta.dirname, "../..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    name: { type: "string", short: "t", multiple: true, default: [] },
    long: { type: "boolean", default: false },
  },
});
/** Of a single test that is stuck. The longest of a long run compares every row of every page: 445 s. */
const TEST_MS = values.long ? 900_000 : 300_000;
const names = values.name.map((name) => `--test-name-pattern=${name}`);
const isWhole = positionals.length === 0;
const all = findFiles(isWhole ? PATTERNS : positionals);
const ofRun = isWhole ? all.filter((file) => (values.long ? isLong(file) : !LONG.test(file))) : all;
const notDrawn = isWhole && !values.long && names.length === 0 ? leftToLong(ofRun, SEED) : [];
const wanted = ofRun.filter((file) => !notDrawn.includes(file));

const mark = randomUUID();
const scratch = mkdtempSync(join(tmpdir(), "sextant-test-"));
chmodSync(scratch, 0o755);
// Kept by the run itself. Hundreds of processes read the same sources; compiled once, `sextant --help` takes 0.36 s,
// not 0.64 s.
const own = mkdtempSync(join(tmpdir(), "sextant-run-"));
process.env.NODE_COMPILE_CACHE = join(own, "compiled");
process.env.TMPDIR = scratch;
process.env[MARK] = mark;
process.env.TEST_SEED = String(SEED);
if (values.long) process.env.TEST_LONG = "1";

/** What the processes with ClickHouse say, until the others are done. */
const saidBesides = join(own, "clickhouse");
// CI cuts off what takes too long: what failed until then is not to be lost.
process.once("SIGTERM", () => {
  if (existsSync(saidBesides)) process.stdout.write(readFileSync(saidBesides, "utf8"));
  rmSync(saidBesides, { force: true });
});

/**
 * In a long run the ClickHouse of the tests, where it is emulated, has most of the work: a second one beside it takes
 * the other core. Else one: a start costs 7 s of processor.
 */
const CLICKHOUSES = values.long ? 2 : 1;
const servers = [await offerPostgres(), await offerClickHouse(CLICKHOUSES)];
const unmet = findUnmetNeeds(wanted);
const runnable = wanted.filter((file) => !unmet.has(file));
/** Reason to the names of tests. */
const skipped = new Map<string, string[]>();
const tests: EndedTest[] = [];
const failures: FailedTest[] = [];

const alone = values.long ? runnable.filter((file) => TIMED.includes(file)) : [];
const codes = [
  await runFiles(alone, 1),
  await runFiles(
    runnable.filter((file) => !alone.includes(file)),
    // With one ClickHouse two more than there are cores: many tests mostly wait, for a lease to end or for a process to start.
    availableParallelism() + 2 - CLICKHOUSES,
  ),
];
for (const reason of new Set(unmet.values())) codes.push(await countSkipped(reason));
for (const server of servers) await server.stop();

const left = [...(await leftProcesses()), ...readdirSync(scratch).map(describeLeft)];
rmSync(scratch, { recursive: true, force: true });
rmSync(own, { recursive: true, force: true });
for (const item of left) process.stderr.write(`left behind: ${item}\n`);
for (const [reason, tests] of skipped) {
  process.stdout.write(`skipped ${tests.length} ${tests.length === 1 ? "test" : "tests"}: ${reason}\n`);
  if (reason === ONLY_LONG) continue;
  for (const test of tests) process.stdout.write(`  ${test}\n`);
}
if (notDrawn.length > 0) {
  process.stdout.write(`not drawn by this seed: ${notDrawn.length} files of many seconds; --long takes all of them\n`);
}
// Last, where a reader of the end of a long log finds them.
for (const { failed, why } of failures) process.stdout.write(`failed: ${failed}\n  ${why.replaceAll("\n", "\n  ")}\n`);
// process.exit, because the PostgreSQL package overrides process.exitCode with 0 when the event loop is empty.
process.exit(codes.some((code) => code !== 0) || left.length > 0 ? 1 : 0);

/** With some of what is in it, which tells whose it is. */
function describeLeft(name: string): string {
  try {
    return `directory ${name}: ${readdirSync(join(scratch, name), { encoding: "utf8", recursive: true }).slice(0, 20).join(", ")}`;
  } catch {
    return `file ${name}`;
  }
}

/** Relative to the root, as in `needs.ts`. */
function findFiles(patterns: readonly string[]): string[] {
  const files = patterns.flatMap((pattern) => {
    const isFolder = statSync(resolve(root, pattern), { throwIfNoEntry: false })?.isDirectory();
    const found = globSync(isFolder ? `${pattern}/**/*.test.ts` : pattern, { cwd: root });
    if (found.length === 0) fail(`no test file matches ${pattern}`);
    return found.map((file) => relative(root, resolve(root, file))).sort();
  });
  return [...new Set(files)];
}

function isLong(file: string): boolean {
  return LONG.test(file) || isCostly(file) || TAKES_SOME.test(readFileSync(resolve(root, file), "utf8"));
}

interface PlannedProcess extends TestProcess {
  readonly entry: string;
  readonly ended: string;
}

/**
 * Resolves with the exit code. The test runner of Node starts a process for each file it is given, in the order of
 * their names: it is given a file for each process, which imports the test files of that process. Processes that use
 * ClickHouse have a runner of their own, whose words are printed at the end: waiting for each other they would take the
 * places of others.
 */
async function runFiles(files: readonly string[], atOnce: number): Promise<number> {
  if (files.length === 0) return 0;
  const processes = planProcesses(files, { isLong: values.long }).map((planned, at) => ({
    ...planned,
    entry: join(own, `${String(at).padStart(3, "0")}.test.mjs`),
    ended: join(own, `${String(at).padStart(3, "0")}.ended`),
  }));
  for (const { files: shared, entry, ended: mark } of processes) {
    writeFileSync(entry, entryOf(shared, mark));
    rmSync(mark, { force: true });
  }
  const withClickHouse = processes.filter(({ usesClickHouse }) => usesClickHouse);
  const others = processes.filter(({ usesClickHouse }) => !usesClickHouse);
  const codes = await Promise.all([
    runProcesses(others, atOnce, "stdout"),
    // One at a time for each server: nodes of a cluster have limits of seconds, and beside another process one statement
    // may take as long.
    runProcesses(withClickHouse, Math.min(atOnce, CLICKHOUSES), others.length === 0 ? "stdout" : saidBesides),
  ]);
  if (existsSync(saidBesides)) process.stdout.write(readFileSync(saidBesides, "utf8"));
  rmSync(saidBesides, { force: true });
  process.stdout.write(describeCosts(root, tests.splice(0), processes));
  const cut = processes.filter(({ ended: mark }) => !existsSync(mark));
  for (const { files: shared } of cut) process.stderr.write(`ended before its last test: ${shared.join(", ")}\n`);
  return cut.length > 0 ? 1 : Math.max(...codes);
}

async function runProcesses(processes: readonly PlannedProcess[], atOnce: number, output: string): Promise<number> {
  if (processes.length === 0) return 0;
  return runNode(
    ["--test-reporter=spec", `--test-reporter-destination=${output}`, `--test-concurrency=${atOnce}`],
    processes.map(({ entry }) => entry),
  );
}

/** Also leaves a file after the last test: Node reports nothing when a process exits with 0 in the middle of a test. */
function entryOf(files: readonly string[], ended: string): string {
  return (
    writeCpuAfterLast(ended) +
    files.map((file) => `import ${JSON.stringify(pathToFileURL(join(root, file)))};\n`).join("")
  );
}

/** Lists the tests of files that cannot run here, without running any. */
async function countSkipped(reason: string): Promise<number> {
  const files = [...unmet].flatMap(([file, why]) => (why === reason ? [file] : []));
  for (const file of files) process.stdout.write(`not run: ${file}: ${reason}\n`);
  const output = join(own, "listing");
  const hook = new URL("skip-all.ts", import.meta.url).href;
  const reporting = ["--test-reporter=spec", `--test-reporter-destination=${output}`];
  const code = await runNode([...reporting, `--import=${hook}`, "--test-isolation=none"], files, {
    TEST_SKIP_REASON: reason,
    // A suite may create a directory in its describe callback, and the hook that would remove it does not run.
    TMPDIR: own,
  });
  if (code !== 0) process.stderr.write(readFileSync(output, "utf8"));
  return code;
}

async function runNode(
  options: readonly string[],
  files: readonly string[],
  env: Record<string, string> = {},
): Promise<number> {
  const record = join(own, `tests-${randomUUID()}`);
  const recording = [
    `--test-reporter=${new URL("record-tests.ts", import.meta.url).href}`,
    `--test-reporter-destination=${record}`,
  ];
  const args = ["--test", `--test-timeout=${TEST_MS}`, ...names, ...options, ...recording, ...files];
  const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
  // PostgreSQL starts during a run, and its package throws where nothing can catch it: no test may outlive the runner.
  const end = () => void child.kill();
  process.once("exit", end);
  const code = await new Promise<number>((done) => child.on("exit", (status) => done(status ?? 1)));
  process.off("exit", end);
  for (const line of readFileSync(record, "utf8").split("\n").slice(0, -1)) {
    const noted = JSON.parse(line) as SkippedTest | FailedTest | EndedTest;
    if ("file" in noted) tests.push(noted);
    else if ("failed" in noted) failures.push(noted);
    else skipped.set(noted.reason, [...(skipped.get(noted.reason) ?? []), noted.test]);
  }
  return code;
}

/** A process that was asked to end needs a moment; one that is still there after five seconds was forgotten. */
async function leftProcesses(): Promise<string[]> {
  const whyNot = whyNoProc();
  if (whyNot !== undefined) {
    process.stdout.write(`not looked for: processes that were left behind: ${whyNot}\n`);
    return [];
  }
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
      // It ended between listing and reading, or belongs to another user and so not to this run.
      return [];
    }
  });
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
