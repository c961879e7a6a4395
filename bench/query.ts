/**
 * `npm run bench:query`: reports compared with hand-written scans of the events for the same answers, in one run.
 *
 *   --events N    number of events (10,000,000), over 90 days up to now and 5 projects
 *   --full        continues with four times as many events, to measure growth
 *   --seconds N   length of each ingest run, without and with reports in a loop (10)
 *
 * The bars apply to 10 million events. Compare only the ratios: times depend on the machine and its other load.
 */
import { availableParallelism, tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { startLoad } from "./load-process.ts";
import { FURTHER_REPORTS, type Question, REPORTS } from "./query-ask.ts";
import { askInLoop, askJourneys, compareAtOnce, connectProject, type Journeys } from "./query-journeys.ts";
import { DAYS, type Disk, fileOf, loadEvents, materializeAll, measureDisk, rollUpToday } from "./query-load.ts";
import { describeOverview, judgeOverview, openOverview } from "./query-overview.ts";
import { askInRounds, beyondEngine, describeRounds, type Measured, type Rounds, ratioToScan } from "./query-rounds.ts";
import { createProjects, type QueryService, startQueryService } from "./query-service.ts";
import { type OnEnd, print, runBench } from "./run-bench.ts";
import { median } from "./statistics.ts";
import { sustain } from "./sustain.ts";
import { line, type Verdict } from "./verdict.ts";

const PROJECTS = 5;
const GROWTH = 4;
/** Runs of each scan; with four times as many events one is enough. */
const SCANS = { first: 3, grown: 1 } as const;
const INGEST = { form: "object", connections: 256, window: 60_000 } as const;
const INGEST_ROUNDS = 3;
/** Reports at once. */
const LOOPS = [1, 8] as const;
type Loop = (typeof LOOPS)[number];
/** Ends a hanging run. */
const GIVE_UP_MS = { short: 3_600_000, full: 4 * 3_600_000 } as const;
const PROGRESS_EVERY_MS = 10_000;
const ALL_REPORTS = [...REPORTS, ...FURTHER_REPORTS] as const;
const SHORT_SCAN_MS = 300;

const { values: options } = parseArgs({
  options: {
    events: { type: "string", default: "10000000" },
    seconds: { type: "string", default: "10" },
    full: { type: "boolean", default: false },
  },
});
const events = readNumber("events", options.events, 1000, 1e9);
const seconds = readNumber("seconds", options.seconds, 1, 600);

interface Phase {
  readonly rounds: Rounds;
  readonly disk: Disk;
  readonly journeys: Journeys;
  /** The time of eight reports at once, divided by the slowest of them alone. */
  readonly atOnce: number;
  readonly overview: Awaited<ReturnType<typeof openOverview>>;
}

interface Dataset {
  readonly root: string;
  readonly engineDir: string;
  readonly projects: readonly string[];
}

async function measure(onEnd: OnEnd): Promise<readonly Verdict[]> {
  const dataset = await createProjects(PROJECTS, onEnd);
  print(
    `${availableParallelism()} cores (${process.arch}), the bench included; ` +
      `${PROJECTS} projects, ${DAYS} days; data in ${tmpdir()}`,
  );
  const first = await runPhase(dataset, { load: 1, events, scans: SCANS.first }, onEnd);
  const grown = options.full
    ? await runPhase(dataset, { load: 2, events: events * (GROWTH - 1), scans: SCANS.grown }, onEnd)
    : undefined;
  const service = await startQueryService(dataset.root, dataset.projects, onEnd);
  const ingest = await compareIngest(service, onEnd);
  return judge(first, grown, ingest);
}

async function runPhase(
  dataset: Dataset,
  plan: { load: number; events: number; scans: number },
  onEnd: OnEnd,
): Promise<Phase> {
  const path = fileOf(dataset.engineDir);
  print(`\nloading ${count(plan.events)} events`);
  const loading = startProgress();
  await loadEvents(path, { ...plan, projects: dataset.projects }, (done) => loading.report(`${count(done)} events`));
  loading.end("loaded");
  const materializing = startProgress();
  const clean = await materializeAll(path, dataset.projects, (text) => materializing.report(text));
  await rollUpToday(path, dataset.projects);
  materializing.end(`materialized ${clean} partitions, and today until half an hour ago`);
  const disk = await measureDisk(path);
  print(`\n${describeDisk(disk)}\n`);

  const service = await startQueryService(dataset.root, dataset.projects, onEnd);
  const asking = startProgress();
  const rounds = await askInRounds(service, plan, (text) => asking.report(text, true));
  asking.end("asked everything");
  print(`\n${count(disk.events)} events\n${describeRounds(rounds)}`);
  const { serviceMb, engineMb } = rounds.memory;
  print(`\nmemory while reports were asked, peak: service ${count(serviceMb)} MB, engine ${count(engineMb)} MB`);
  print(`beyond the engine's own time, p50: ${median(beyondEngine(rounds)).toFixed(1)} ms`);
  const project = await connectProject(service);
  const journeys = await askJourneys(service, project);
  const each = Object.entries(journeys.ms).map(([report, ms]) => `${report} ${ms.toFixed(0)} ms`);
  print(`\none project, p50: ${each.join(", ")}; engine ${count(journeys.peakMb)} MB at most`);
  const { totalMs, slowestMs, slowest } = await compareAtOnce(project);
  print(`one project, 8 reports at once: ${totalMs.toFixed(0)} ms; ${slowest} alone ${slowestMs.toFixed(0)} ms`);
  const overview = plan.load === 1 ? await openOverview(service, onEnd) : { why: "the first phase did" };
  print(describeOverview(overview));
  for (const difference of rounds.differences) print(`DIFFERENT FROM THE SCAN  ${difference}`);
  if (rounds.differences.length > 0) process.exitCode = 1;
  await service.engine.close();
  await service.process.kill("SIGTERM");
  return { rounds, disk, journeys, atOnce: totalMs / slowestMs, overview };
}

/** Compares events accepted and stored per second: alone, beside one report in a loop, and beside eight at once. */
async function compareIngest(service: QueryService, onEnd: OnEnd): Promise<Record<Loop, number>> {
  const load = await startLoad();
  onEnd(load.close);
  const project = await connectProject(service);
  print(`\ningest, batches of 100 for ${seconds} s each, alone and beside reports of 90 days in a loop`);
  await sustain(load, service, { ...INGEST, seconds: Math.min(3, seconds) });
  const ratios: Record<Loop, number[]> = { 1: [], 8: [] };
  for (let round = 0; round < INGEST_ROUNDS; round += 1) {
    const alone = await sustain(load, service, { ...INGEST, seconds });
    for (const reports of LOOPS) {
      const loop = askInLoop(project, reports);
      const beside = await sustain(load, service, { ...INGEST, seconds });
      const asked = await loop.end();
      ratios[reports].push(beside.storedPerSecond / alone.storedPerSecond);
      print(
        `  ${count(alone.storedPerSecond)} events/s alone, ${count(beside.storedPerSecond)} beside ` +
          `${reports * asked.length} reports, ${reports} at once, p50 ${median(asked).toFixed(0)} ms`,
      );
    }
  }
  load.close();
  return { 1: median(ratios[1]), 8: median(ratios[8]) };
}

function judge(first: Phase, grown: Phase | undefined, ingest: Record<Loop, number>): Verdict[] {
  const perReport = (text: string, digits: number, atMost: number, value: (report: Question["report"]) => number) =>
    REPORTS.map((report) => line(`${text}: ${report}`, value(report), digits, "", { atMost }));
  const find = (phase: Phase, question: Question): Measured => {
    const found = phase.rounds.all.find(
      ({ report, window, filter }) =>
        report === question.report && window === question.window && filter === question.filter,
    );
    if (found === undefined) throw new Error(`${question.report} was not asked`);
    return found;
  };
  const plain = (report: Question["report"], window: Question["window"]) =>
    ratioToScan(find(first, { report, window, filter: "none" }));
  const growth = (report: Question["report"], window: Question["window"]) => {
    const question = { report, window, filter: "none" } as const;
    return grown ? median(find(grown, question).httpMs) / median(find(first, question).httpMs) : Number.NaN;
  };
  const filtered = (report: Question["report"]) =>
    Math.max(...(["one", "three"] as const).map((filter) => ratioToScan(find(first, { report, window: 90, filter }))));
  const undecided = grown ? undefined : "(decided by --full)";
  const differences = first.rounds.differences.length + (grown?.rounds.differences.length ?? 0);
  return [
    ...ALL_REPORTS.map((report) => {
      const asked = find(first, { report, window: 90, filter: "none" });
      // A report is planned for longer than a short scan takes.
      return median(asked.scanMs) < SHORT_SCAN_MS
        ? line(`unfiltered, 90 days, p50, short scan: ${report}`, median(asked.httpMs), 1, " ms", { atMost: 15 })
        : line(`unfiltered, 90 days, of the scan: ${report}`, ratioToScan(asked), 3, "", { atMost: 0.05 });
    }),
    line(
      "one filter, 90 days, of the scan: kpis",
      ratioToScan(find(first, { report: "kpis", window: 90, filter: "one" })),
      3,
      "",
      { atMost: 1 / 3 },
    ),
    ...perReport("unfiltered, default window, of the scan", 3, 1 / 3, (report) => plain(report, 7)),
    ...perReport("filtered, 90 days, worse of two, of the scan", 3, 1 / 3, filtered),
    ...([7, 90] as const)
      .flatMap((window) =>
        ALL_REPORTS.map((report) => {
          const about = `unfiltered, ${window === 7 ? "default window" : `${window} days`}, ${GROWTH} times the events`;
          return line(`${about}: ${report}`, growth(report, window), 2, "", { atMost: 1.3 });
        }),
      )
      .map((each) => ({ ...each, undecided })),
    ...Object.entries(first.journeys.ms).map(([report, ms]) =>
      line(`one project, 90 days, p50: ${report}`, ms, 0, " ms", { atMost: 1000 }),
    ),
    line("memory of the engine while those were asked", first.journeys.peakMb, 0, " MB", { atMost: 1000 }),
    line("8 reports at once / the slowest alone", first.atOnce, 2, "", { atMost: 2 }),
    ...judgeOverview(first.overview),
    line("HTTP beyond the engine's own time, p50", median(beyondEngine(first.rounds)), 1, " ms", { atMost: 2 }),
    line("disk, bytes an event", (grown ?? first).disk.bytesPerEvent, 1, "", { atMost: 130 }),
    line("ingest with a report in a loop / alone", ingest[1], 2, "", { atLeast: 0.7 }),
    line("ingest with 8 reports at once in a loop / alone", ingest[8], 2, "", { atLeast: 0.7 }),
    line("answers that differ from the scan's", differences, 0, "", { exactly: 0 }),
  ];
}

function describeDisk({ tables, events: rows, bytesPerEvent, bytes }: Disk): string {
  const each = tables.map(({ table, bytes: ofTable }) => `${table} ${(ofTable / rows).toFixed(1)}`);
  return `disk: ${bytesPerEvent.toFixed(1)} bytes an event (${each.join(", ")}); the file has ${count(bytes)} bytes`;
}

function startProgress(): { report(text: string, isForced?: boolean): void; end(text: string): void } {
  const startedAt = performance.now();
  let reportedAt = startedAt;
  const show = (text: string) =>
    print(`  ${((performance.now() - startedAt) / 1000).toFixed(1).padStart(7)} s  ${text}`);
  return {
    report(text, isForced = false) {
      if (!isForced && performance.now() - reportedAt < PROGRESS_EVERY_MS) return;
      reportedAt = performance.now();
      show(text);
    },
    end: show,
  };
}

function readNumber(name: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < min || number > max)
    throw new Error(`--${name} is a whole number from ${min} to ${max}`);
  return number;
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

await runBench(measure, options.full ? GIVE_UP_MS.full : GIVE_UP_MS.short);
