/**
 * Requests every report in turn, in rounds, so that noise of the machine affects all of them. Every tenth round also
 * runs the scans, whose rows must equal those of the reports.
 */
import {
  askReport,
  FILTERS,
  FURTHER_REPORTS,
  findDifference,
  type Question,
  REPORTS,
  scanEvents,
  WINDOWS,
} from "./query-ask.ts";
import type { QueryService } from "./query-service.ts";
import { median, weightedQuantile } from "./statistics.ts";
import { type Memory, watchMemory } from "./usage.ts";

const WARM_UPS = 2;
const MOST_ASKS = 30;
const FEWEST_ASKS = 5;
/** A slow question is asked fewer times: for about this long in total. */
const ASK_FOR_MS = 8_000;
const SCAN_EVERY = 10;

export interface Measured extends Question {
  readonly httpMs: number[];
  readonly engineMs: number[];
  readonly scanMs: number[];
}

export interface Rounds {
  readonly all: readonly Measured[];
  /** Differences between a report and its scan. */
  readonly differences: readonly string[];
  /** Peaks during reports, before the first scan. */
  readonly memory: Memory;
}

export async function askInRounds(
  service: QueryService,
  plan: { scans: number },
  onRound: (text: string) => void,
): Promise<Rounds> {
  const watch = watchMemory(service.pid);
  const all: (Measured & { asks: number })[] = [];
  for (const question of allQuestions()) {
    let warmMs = Number.POSITIVE_INFINITY;
    for (let i = 0; i < WARM_UPS; i += 1) warmMs = Math.min(warmMs, (await askReport(service, question)).httpMs);
    const asks = Math.max(FEWEST_ASKS, Math.min(MOST_ASKS, Math.floor(ASK_FOR_MS / warmMs)));
    all.push({ ...question, httpMs: [], engineMs: [], scanMs: [], asks });
  }
  const memory = watch.stop();

  const differences = new Set<string>();
  for (let round = 0; round < MOST_ASKS; round += 1) {
    for (const measured of all.filter(({ asks }) => asks > round)) {
      const { httpMs, engineMs } = await askReport(service, measured);
      measured.httpMs.push(httpMs);
      measured.engineMs.push(engineMs);
    }
    if (round % SCAN_EVERY !== 0 || round / SCAN_EVERY >= plan.scans) continue;
    onRound(`asked ${round + 1} times, scans are next`);
    for (const measured of all) {
      const difference = await scanOnce(service, measured);
      if (difference !== undefined) differences.add(difference);
    }
  }
  return { all, differences: [...differences], memory };
}

function allQuestions(): Question[] {
  const further = FURTHER_REPORTS.flatMap((report) =>
    ([7, 90] as const).map((window): Question => ({ report, window, filter: "none" })),
  );
  return [
    ...REPORTS.flatMap((report) =>
      FILTERS.flatMap((filter) => WINDOWS.map((window): Question => ({ report, window, filter }))),
    ),
    ...further,
    { report: "kpis", window: 90, filter: "one" },
  ];
}

async function scanOnce(service: QueryService, measured: Measured): Promise<string | undefined> {
  const { engineMs, rows } = await scanEvents(service.engine, service.projects, measured);
  measured.scanMs.push(engineMs);
  const difference = findDifference((await askReport(service, measured)).rows, rows);
  if (difference === undefined) return undefined;
  return `${measured.report}, ${measured.window} days, ${describeFilter(measured.filter)}: ${difference}`;
}

/** The HTTP time of a report, divided by the engine's time of the scan. */
export function ratioToScan({ httpMs, scanMs }: Measured): number {
  return median(httpMs) / median(scanMs);
}

/** The time of the answers outside the engine. */
export function beyondEngine({ all }: Rounds): number[] {
  return all.flatMap(({ httpMs, engineMs }) => httpMs.map((ms, i) => ms - (engineMs[i] ?? 0)));
}

export function describeRounds({ all }: Rounds): string {
  const head = ["report", "days", "filters", "asks", "p50", "p95", "engine p50", "scan p50", "of the scan"];
  const rows = all.map((measured) => [
    measured.report,
    String(measured.window),
    describeFilter(measured.filter),
    String(measured.httpMs.length),
    inMs(median(measured.httpMs)),
    inMs(
      weightedQuantile(
        measured.httpMs.map((value) => ({ value, weight: 1 })),
        0.95,
      ),
    ),
    inMs(median(measured.engineMs)),
    inMs(median(measured.scanMs)),
    ratioToScan(measured).toFixed(3),
  ]);
  const widths = [18, 5, 8, 5, 9, 9, 11, 10, 12];
  const line = (cells: readonly string[]) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join("");
  return [head, ...rows].map((cells) => `  ${line(cells)}`).join("\n");
}

function describeFilter(filter: Question["filter"]): string {
  return filter === "none" ? "none" : { one: "1", three: "3" }[filter];
}

function inMs(ms: number): string {
  return `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
}
