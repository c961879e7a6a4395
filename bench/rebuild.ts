/**
 * `npm run bench:rebuild`: stores events in 450 partitions (90 days of 5 projects), then derives sessions and rollups again
 * as `sextant rebuild` and the worker do, and compares the two. With `strace` it counts how often the disk is waited for.
 *
 *   --events N      number of events (1,000,000)
 *   --against DIR   the code of another checkout first
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs, promisify } from "node:util";
import type { Phase, RebuildTurn } from "./rebuild-turn.ts";
import { type OnEnd, print, runBench } from "./run-bench.ts";
import { line, type Verdict } from "./verdict.ts";

const HERE = resolve(import.meta.dirname, "..");
const GIVE_UP_MS = 3_600_000;
const run = promisify(execFile);

const { values: options } = parseArgs({
  options: { events: { type: "string", default: "1000000" }, against: { type: "string" } },
});

interface Counted {
  readonly turn: RebuildTurn;
  /** Syncs of a phase, unless they cannot be counted here. */
  readonly syncs: ((phase: Phase) => number) | undefined;
}

async function measure(onEnd: OnEnd): Promise<readonly Verdict[]> {
  if (options.against !== undefined) describe("there", await runTurn(resolve(options.against), onEnd));
  const counted = await runTurn(HERE, onEnd);
  describe("here", counted);
  return judge(counted);
}

/** strace with a filter in the kernel stops nothing but the calls that it counts. */
async function runTurn(checkout: string, onEnd: OnEnd): Promise<Counted> {
  const dir = mkdtempSync(join(tmpdir(), "sextant-rebuild-calls-"));
  onEnd(() => rmSync(dir, { recursive: true, force: true }));
  const calls = join(dir, "calls");
  const traced = ["strace", "--seccomp-bpf", "-f", "-qq", "-ttt", "-e", "trace=fsync,fdatasync", "-o", calls];
  const canTrace = await run("strace", ["--seccomp-bpf", "-f", "-qq", "-e", "trace=fsync", "true"]).then(
    () => true,
    () => false,
  );
  const script = join(import.meta.dirname, "rebuild-turn.ts");
  const [program, ...args] = [...(canTrace ? traced : []), process.execPath, script, checkout, options.events];
  const { stdout } = await run(program, args);
  const turn = JSON.parse(stdout) as RebuildTurn;
  if (!canTrace) return { turn, syncs: undefined };
  const times = readFileSync(calls, "utf8")
    .split("\n")
    .filter((text) => /f(data)?sync\(/.test(text))
    .map((text) => Number(text.split(/\s+/)[1]));
  return { turn, syncs: ({ from, to }) => times.filter((time) => time >= from && time < to).length };
}

function describe(where: string, { turn, syncs }: Counted): void {
  print(`\n${where}: ${turn.events.toLocaleString("en")} events in ${turn.partitions} partitions`);
  for (const name of ["storing", "sessions", "rollups"] as const) {
    const phase = turn[name];
    const counted = syncs === undefined ? "syncs not counted: no strace" : `${syncs(phase)} syncs`;
    print(
      `  ${name.padEnd(8)} ${phase.seconds.toFixed(1)} s, processor ${phase.processorSeconds.toFixed(1)} s, ` +
        `${counted}, at most ${phase.peakMb.toFixed(0)} MB`,
    );
  }
}

function judge({ turn, syncs }: Counted): Verdict[] {
  const { storing, sessions, rollups, partitions } = turn;
  const ratio = (of: (phase: Phase) => number) => (of(sessions) + of(rollups)) / of(storing);
  const count = syncs === undefined ? Number.NaN : (syncs(sessions) + syncs(rollups)) / partitions;
  const atMost = 1;
  return [
    line(
      "rebuild / storing, processor time",
      ratio((phase) => phase.processorSeconds),
      2,
      "",
      { atMost },
    ),
    line(
      "rebuild / storing, time",
      ratio((phase) => phase.seconds),
      2,
      "",
      { atMost },
    ),
    {
      ...line("syncs of a rebuild, a partition", count, 3, "", { atMost: 0.1 }),
      undecided: syncs === undefined ? "(needs strace)" : undefined,
    },
  ];
}

await runBench(measure, GIVE_UP_MS);
