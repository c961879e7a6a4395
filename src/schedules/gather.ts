/** Asks all that a report says. */
import { findBoard } from "../boards/boards.ts";
import { listCharts } from "../boards/charts.ts";
import type { RunCharts } from "../boards/run-charts.ts";
import { getReportProjects } from "../control/report-projects.ts";
import type { Reader } from "../control/store.ts";
import { findProject } from "../control/tenants.ts";
import { DAY_MS } from "../lib/time.ts";
import { dayIn } from "../lib/time-zones.ts";
import type { Reports } from "../query/run/ask.ts";
import { type Content, cutName, type Gathered } from "./content.ts";
import { daysBefore, type Run } from "./due.ts";
import { gatherBoard } from "./gather-board.ts";
import { gatherProject } from "./gather-project.ts";
import type { Schedule } from "./schedules.ts";

export interface GatherDeps {
  db: Reader;
  ask: Reports["ask"];
  charts: Pick<RunCharts, "runAll">;
}

/** The report can never be made again: its board is gone. */
export class ScheduleBroken extends Error {}

export async function gather(
  deps: GatherDeps,
  schedule: Schedule,
  run: Run,
  { nowMs, isTest, signal }: { nowMs: number; isTest: boolean; signal: AbortSignal },
): Promise<Content> {
  const { workspaceId, projectId, boardId, every } = schedule;
  const owner = { workspaceId, projectId };
  const project = await findProject(deps.db, workspaceId, projectId);
  if (project === undefined) throw new ScheduleBroken("Its project was deleted");
  const before = daysBefore(schedule, run);
  const { title, parts, imported } =
    boardId === null
      ? { title: project.name, ...(await ofProject(deps, owner, run, before, signal)) }
      : await ofBoard(deps, owner, boardId, run, before, signal);
  return {
    title: cutName(title),
    project: { id: projectId, name: cutName(project.name) },
    boardId,
    every,
    from: run.from,
    to: run.to,
    before,
    timezone: project.timezone,
    moneyUnit: project.moneyUnit,
    parts,
    imported,
    lateSince: !isTest && nowMs - run.dueAtMs > DAY_MS ? dayIn(schedule.timezone, run.dueAtMs) : null,
    isTest,
  };
}

type Owner = { workspaceId: string; projectId: string };
type Days = { from: string; to: string };

async function ofProject(
  { db, ask }: GatherDeps,
  owner: Owner,
  run: Days,
  before: Days,
  signal: AbortSignal,
): Promise<Gathered> {
  const projects = await getReportProjects(db, owner, owner.projectId);
  const about = { workspaceId: owner.workspaceId, projects };
  return gatherProject((name, query) => ask(about, name, query, signal), run, before);
}

async function ofBoard(
  { db, charts }: GatherDeps,
  owner: Owner,
  boardId: string,
  run: Days,
  before: Days,
  signal: AbortSignal,
): Promise<Gathered & { readonly title: string }> {
  const board = await findBoard(db, owner, boardId);
  const [project] = await getReportProjects(db, owner, owner.projectId);
  if (board === undefined || project === undefined) throw new ScheduleBroken("Its board was deleted");
  const { data } = await listCharts(db, owner.workspaceId, board);
  const gathered = await gatherBoard(
    (some, { from, to }) =>
      charts.runAll({ workspaceId: owner.workspaceId, project }, some, { date_from: from, date_to: to }, { signal }),
    data,
    run,
    before,
  );
  return { title: board.title, ...gathered };
}
