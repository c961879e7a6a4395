/**
 * Builds days that still run, up to a time of receipt that lies a few minutes back, so that a report has to read only what was received
 * since. Everything received by then is stored, or comes so late that its day is named again, which opens it (day-book.ts).
 */
import { readFileSync } from "node:fs";
import { tuple } from "../engines/analytics.ts";
import { type BuildEngine, buildDay, type ProjectDay } from "./build-day.ts";
import { askAboutProjects, GRACE_S, PROJECTS_AT_ONCE } from "./close-days.ts";
import { FRESH_S, SETTLE_S } from "./day-book.ts";
import { LAST_MS } from "./stored-row.ts";

/** Clocks of nodes may differ so much, as far as running days are concerned. */
const CLOCKS_S = 60;
/** A project with fewer new events is left as it is: reading so many takes a report no longer than planning to. */
const LEAST_EVENTS = 500;

const readSql = (name: string) => readFileSync(new URL(`./sql/${name}.sql`, import.meta.url), "utf8");
const RUNNING_DAYS = readSql("running_days");
const COUNT_RECEIVED = readSql("count_received");

export interface RunningOptions {
  settleS?: number;
  /** How long after its midnight a day still counts as running. */
  runningS?: number;
  receivedUntilMs?: number;
  leastEvents?: number;
  signal?: AbortSignal;
}

interface RunningDay extends ProjectDay {
  last_cut: number;
  is_due: 0 | 1;
  now_ms: number;
}

/** Gives the number of days of projects that were built, oldest first. */
export async function buildRunningDays(engine: BuildEngine, options: RunningOptions = {}): Promise<number> {
  const settleS = options.settleS ?? SETTLE_S;
  const given = options.signal ? { signal: options.signal } : {};
  const running = await askAboutProjects(engine, options.signal, async (projects) => {
    const params = { projects, running_s: options.runningS ?? GRACE_S, settle_s: settleS };
    return (await engine.selectJson<RunningDay>(RUNNING_DAYS, { params, ...given })).data;
  });
  const nowMs = Math.min(...running.map(({ now_ms }) => now_ms));
  const untilMs = options.receivedUntilMs ?? nowMs - (FRESH_S + settleS + CLOCKS_S) * 1000;
  const cut = LAST_MS - untilMs;
  let built = 0;
  for (const [day, ofDay] of Map.groupBy(running, (each) => each.day)) {
    for (let at = 0; at < ofDay.length; at += PROJECTS_AT_ONCE) {
      const some = ofDay.slice(at, at + PROJECTS_AT_ONCE);
      const counts = await countReceived(engine, some, cut, given);
      const least = options.leastEvents ?? LEAST_EVENTS;
      const projects = some.filter((each) => each.is_due === 1 || (counts.get(each.project_id) ?? 0) >= least);
      if (projects.length === 0) continue;
      await buildDay(engine, { day, projects, startedMs: nowMs - settleS * 1000, cut, signal: options.signal });
      built += projects.length;
    }
  }
  return built;
}

async function countReceived(
  engine: BuildEngine,
  days: readonly RunningDay[],
  cut: number,
  given: { signal?: AbortSignal },
): Promise<Map<string, number>> {
  const params = {
    cut,
    keys: days.flatMap(({ project_id, key_days }) => key_days.map((key) => tuple(project_id, key))),
    projects: days.map(({ project_id }) => project_id),
    last_cuts: days.map(({ last_cut }) => (last_cut === 0 ? LAST_MS : last_cut)),
  };
  const { data } = await engine.selectJson<{ project: string; n: number }>(COUNT_RECEIVED, { params, ...given });
  return new Map(data.map(({ project, n }) => [project, n]));
}
