/** Runs charts: one, or those of a board, a few at a time. */
import { CHART_LIMITS } from "../contract/charts.ts";
import { ApiError } from "../contract/errors.ts";
import { EngineBusy } from "../engines/failures.ts";
import type { Clock } from "../lib/clock.ts";
import type { ReportOwner } from "../query/report/question.ts";
import type { Reports } from "../query/run/ask.ts";
import type { Spent } from "../query/run/in-slot.ts";
import type { RunLookup } from "../query/run/run-lookup.ts";
import type { FindSegment } from "../query/run/with-segment.ts";
import type { RunSql } from "../query/sql/run-sql.ts";
import { type ChartAnswer, ofReport, ofStatement, shapeOf } from "./answer.ts";
import type { Chart, ChartSpec } from "./chart.ts";
import { comparedOf, joinSegments, type SegmentPart } from "./compare-segments.ts";
import { createDataVersions } from "./data-versions.ts";
import { type Asked, type ChartQuestion, joinFilters, toQuestion } from "./question.ts";
import { type FailedChart, runEach } from "./run-each.ts";
import { createSharedAnswers } from "./shared-answers.ts";

export interface ChartNeeds {
  reports: Reports;
  runSql: RunSql;
  runLookup: RunLookup;
  findSegment: FindSegment;
  findSegmentTitles: FindSegmentTitles;
  clock: Clock;
}

/** The titles of those segments of a project that exist. */
export type FindSegmentTitles = (
  workspaceId: string,
  projectId: string,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

/** The project of a board. */
export interface ChartOwner {
  readonly workspaceId: string;
  readonly project: ReportOwner["projects"][number];
}

/** Who waits for the answer, and pays for it. */
export interface Viewer {
  readonly signal: AbortSignal;
  readonly spent?: Spent | undefined;
  /** Where the viewer waits before the engine works, unless the answer is known. */
  readonly queue?: Queue | undefined;
}

/** Who is in another one, or in none, does not wait for those in this one. */
export interface Queue {
  readonly name: string;
  /** Returns the end of the turn. */
  enter(signal: AbortSignal): Promise<() => void>;
}

export interface RunCharts {
  run(owner: ChartOwner, spec: ChartSpec, asked: Asked, viewer: Viewer): Promise<ChartAnswer>;
  /** Each chart has an answer, or a text about why it has none. */
  runAll(
    owner: ChartOwner,
    charts: readonly Chart[],
    asked: Asked,
    viewer: Viewer,
  ): Promise<{ answers: ReadonlyMap<string, ChartAnswer>; failed: readonly FailedChart[] }>;
  /** The columns of its answer, and whether it has no row, one or more. */
  findShape(
    owner: ChartOwner,
    spec: ChartSpec,
    asked: Asked,
    viewer: Viewer,
  ): Promise<Pick<ChartAnswer, "columns" | "rows">>;
}

/** As many rows as a shape tells apart. */
const SHAPE_ROWS = 2;

export function createRunCharts(needs: ChartNeeds): RunCharts {
  // Needs are read when a request comes: see CONTRIBUTING.md.
  const clock = { nowMs: () => needs.clock.nowMs() };
  const shared = createSharedAnswers(clock);
  const versionOf = createDataVersions(needs, clock);
  async function runAt(
    version: string,
    owner: ChartOwner,
    spec: ChartSpec,
    asked: Asked,
    viewer: Viewer,
  ): Promise<ChartAnswer> {
    const question = toQuestion(spec, asked);
    const run: Run = { owner, spec, asked, viewer, version };
    const waiter = { signal: viewer.signal, queue: viewer.queue?.name };
    const compared = question.kind === "report" ? comparedOf(spec) : [];
    if (compared.length === 0) {
      const { key, answer } = await prepare(needs, run, question);
      return shared.ask(key, waiter, answer);
    }
    const titles = await needs.findSegmentTitles(owner.workspaceId, owner.project.id, compared);
    const parts: (Prepared & { title: string })[] = [];
    for (const id of compared) {
      const title = titles.get(id) ?? refuseSegment(spec, id);
      parts.push({ title, ...(await prepare(needs, run, toQuestion(spec, asked, id))) });
    }
    // Joined once for all viewers: four answers of 1,000 rows take 22 ms.
    return shared.ask(["segments", ...parts.map(({ title, key }) => [title, key])], waiter, async (work) => {
      const answers: SegmentPart[] = [];
      // One after the other: the charts of a board take two slots, whatever they compare.
      for (const { title, key, answer } of parts)
        answers.push({ title, answer: await shared.ask(key, { ...waiter, signal: work }, answer) });
      return joinSegments(answers);
    });
  }
  async function run(owner: ChartOwner, spec: ChartSpec, asked: Asked, viewer: Viewer): Promise<ChartAnswer> {
    // First what the chart asks: a question that is refused needs no engine.
    toQuestion(spec, asked);
    return runAt(await versionOf(owner.workspaceId, owner.project, viewer), owner, spec, asked, viewer);
  }
  return {
    run,
    async runAll(owner, charts, asked, viewer) {
      if (charts.length === 0) return { answers: new Map(), failed: [] };
      // One version for all: a chart is not kept from before an event that the one beside it counts.
      const version = await versionOf(owner.workspaceId, owner.project, viewer);
      return runEach(
        charts,
        (chart) => runAt(version, owner, chart, asked, viewer),
        (cause) => findReason(cause, viewer.signal),
      );
    },
    async findShape(owner, spec, asked, viewer) {
      const question = toQuestion(spec, asked);
      if (question.kind === "report") return run(owner, spec, asked, viewer);
      const { signal, spent } = viewer;
      const statement = { sql: question.sql, format: "values", defaultRows: SHAPE_ROWS } as const;
      const { body } = await needs.runSql(owner, statement, signal, spent);
      return shapeOf(body, SHAPE_ROWS);
    },
  };
}

interface Run {
  readonly owner: ChartOwner;
  readonly spec: ChartSpec;
  readonly asked: Asked;
  readonly viewer: Viewer;
  readonly version: string;
}

/** A question that can be asked. */
interface Prepared {
  /** All that decides the answer. */
  readonly key: readonly unknown[];
  answer(work: AbortSignal): Promise<ChartAnswer>;
}

async function prepare(needs: ChartNeeds, run: Run, question: ChartQuestion): Promise<Prepared> {
  const { owner, viewer, version } = run;
  const { workspaceId, project } = owner;
  const { id, excludeBots, retentionDays, timezone, imports } = project;
  const reportOwner = { workspaceId, projects: [project] };
  // A segment may have been changed or deleted since somebody asked with it.
  const find = (segment: unknown) => findFilters(needs, run, segment);
  const filters = question.kind === "report" ? await find(question.params.segment) : [];
  const further = question.kind === "report" ? await Promise.all((question.further ?? []).map(find)) : [];
  const ask = async (work: AbortSignal) => {
    if (question.kind === "report") {
      const { name, params } = question;
      const both = further.length === 0 ? params : { ...params, filters: joinFilters(further.flat(), textOf(params)) };
      return ofReport(await needs.reports.ask(reportOwner, name, both, work, viewer.spent));
    }
    const statement = { sql: question.sql, format: "values", defaultRows: CHART_LIMITS.defaultRows } as const;
    const { body } = await needs.runSql({ workspaceId, project }, statement, work, viewer.spent);
    return ofStatement(body);
  };
  return {
    key: [workspaceId, id, excludeBots, retentionDays, timezone, imports, question, filters, further, version],
    async answer(work) {
      const leave = await viewer.queue?.enter(work);
      try {
        return await ask(work);
      } finally {
        leave?.();
      }
    },
  };
}

/** The filters of a segment. One that the chart names and that is gone is a fault of the chart, not of the request. */
async function findFilters(needs: ChartNeeds, { owner, spec, asked }: Run, segment: unknown) {
  if (typeof segment !== "string") return [];
  try {
    return await needs.findSegment({ workspaceId: owner.workspaceId, projects: [owner.project] }, segment);
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.code !== "NOT_FOUND" || segment === asked.segment) throw cause;
    const param = `body.${spec.report === null ? "settings" : "params"}.segment`;
    throw new ApiError(cause.code, cause.message, { param, cause });
  }
}

function textOf({ filters }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof filters === "string" ? filters : undefined;
}

function refuseSegment({ settings }: ChartSpec, id: string): never {
  const at = settings?.segments?.indexOf(id) ?? 0;
  throw new ApiError("NOT_FOUND", `There is no segment ${id}`, { param: `body.settings.segments.${at}` });
}

/** Why a chart has no answer, on a board whose others have one; undefined for what is not about this one chart. */
function findReason(cause: unknown, signal: AbortSignal): string | undefined {
  if (signal.aborted) return undefined;
  if (cause instanceof EngineBusy) return "The question took too long, or needs too much memory";
  return cause instanceof ApiError ? cause.message : undefined;
}
