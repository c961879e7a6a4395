/** Runs charts: one, or those of a board, a few at a time. */
import { CHART_LIMITS } from "../contract/charts.ts";
import { ApiError } from "../contract/errors.ts";
import { EngineBusy } from "../engines/failures.ts";
import type { Clock } from "../lib/clock.ts";
import { findDataVersion } from "../query/live/data-version.ts";
import type { Reports } from "../query/run/ask.ts";
import type { Spent } from "../query/run/in-slot.ts";
import type { RunLookup } from "../query/run/run-lookup.ts";
import type { FindSegment } from "../query/run/with-segment.ts";
import type { RunSql } from "../query/sql/run-sql.ts";
import { type ChartAnswer, ofReport, ofStatement, shapeOf } from "./answer.ts";
import type { Chart, ChartSpec } from "./chart.ts";
import { comparedOf, joinSegments, type SegmentPart } from "./compare-segments.ts";
import { type Asked, type ChartQuestion, joinFilters, toQuestion } from "./question.ts";
import { createSharedAnswers, type SharedAnswers } from "./shared-answers.ts";

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
  readonly project: { readonly id: string; readonly excludeBots: boolean; readonly retentionDays: number | null };
}

/** Who waits for the answer, and pays for it. */
export interface Viewer {
  readonly signal: AbortSignal;
  readonly spent?: Spent | undefined;
  /** Waits before the engine works for the viewer, and not where somebody else has asked already. Returns the end. */
  readonly takeTurn?: ((signal: AbortSignal) => Promise<() => void>) | undefined;
}

export interface FailedChart {
  readonly chartId: string;
  readonly error: string;
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
  const versionOf = createVersions(needs, clock);
  async function runAt(
    version: string,
    owner: ChartOwner,
    spec: ChartSpec,
    asked: Asked,
    viewer: Viewer,
  ): Promise<ChartAnswer> {
    const question = toQuestion(spec, asked);
    const compared = question.kind === "report" ? comparedOf(spec) : [];
    if (compared.length === 0) return ask(needs, shared, owner, question, version, viewer);
    const titles = await needs.findSegmentTitles(owner.workspaceId, owner.project.id, compared);
    const parts: SegmentPart[] = [];
    // One after the other: the charts of a board take two slots, whatever they compare.
    for (const id of compared) {
      const title = titles.get(id) ?? refuseSegment(spec, id);
      const answer = await ask(needs, shared, owner, toQuestion(spec, asked, id), version, viewer);
      parts.push({ title, answer });
    }
    return joinSegments(parts);
  }
  async function run(owner: ChartOwner, spec: ChartSpec, asked: Asked, viewer: Viewer): Promise<ChartAnswer> {
    // First what the chart asks: a question that is refused needs no engine.
    toQuestion(spec, asked);
    return runAt(await versionOf(owner, viewer), owner, spec, asked, viewer);
  }
  return {
    run,
    async runAll(owner, charts, asked, viewer) {
      if (charts.length === 0) return { answers: new Map(), failed: [] };
      // One version for all: a chart is not kept from before an event that the one beside it counts.
      const version = await versionOf(owner, viewer);
      const answers = new Map<string, ChartAnswer>();
      const errors = new Map<string, string>();
      const waiting = [...charts];
      const work = async () => {
        for (let chart = waiting.shift(); chart !== undefined; chart = waiting.shift()) {
          try {
            answers.set(chart.id, await runAt(version, owner, chart, asked, viewer));
          } catch (cause) {
            const rest = waiting.splice(0);
            errors.set(chart.id, explain(cause, viewer.signal));
            waiting.push(...rest);
          }
        }
      };
      await Promise.all(Array.from({ length: CHART_LIMITS.running }, work));
      const failed = charts.flatMap(({ id }) => {
        const error = errors.get(id);
        return error === undefined ? [] : [{ chartId: id, error }];
      });
      return { answers, failed };
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

async function ask(
  needs: ChartNeeds,
  shared: SharedAnswers,
  { workspaceId, project }: ChartOwner,
  question: ChartQuestion,
  version: string,
  { signal, spent, takeTurn }: Viewer,
): Promise<ChartAnswer> {
  const { id, excludeBots, retentionDays } = project;
  const reportOwner = { workspaceId, projects: [project] };
  // A segment may have been changed or deleted since somebody asked with it.
  const find = async (segment: unknown) => (typeof segment === "string" ? needs.findSegment(reportOwner, segment) : []);
  const filters = question.kind === "report" ? await find(question.params.segment) : [];
  const further = question.kind === "report" ? await Promise.all((question.further ?? []).map(find)) : [];
  const answer = async (work: AbortSignal) => {
    if (question.kind === "report") {
      const { name, params } = question;
      const both = further.length === 0 ? params : { ...params, filters: joinFilters(further.flat(), textOf(params)) };
      return ofReport(await needs.reports.ask(reportOwner, name, both, work, spent));
    }
    const statement = { sql: question.sql, format: "values", defaultRows: CHART_LIMITS.defaultRows } as const;
    const { body } = await needs.runSql({ workspaceId, project }, statement, work, spent);
    return ofStatement(body);
  };
  return shared.ask(
    [workspaceId, id, excludeBots, retentionDays, question, filters, further, version],
    signal,
    async (work) => {
      const endTurn = await takeTurn?.(work);
      try {
        return await answer(work);
      } finally {
        endTurn?.();
      }
    },
  );
}

function textOf({ filters }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof filters === "string" ? filters : undefined;
}

function refuseSegment({ settings }: ChartSpec, id: string): never {
  const at = settings?.segments?.indexOf(id) ?? 0;
  throw new ApiError("NOT_FOUND", `There is no segment ${id}`, { param: `body.settings.segments.${at}` });
}

/** Twelve charts of a page that are asked one by one look for the version once. */
const VERSION_MS = 1_000;

function createVersions(needs: ChartNeeds, clock: Clock) {
  const found = new Map<string, { readonly untilMs: number; readonly version: Promise<string> }>();
  return (owner: ChartOwner, { signal, spent }: Viewer): Promise<string> => {
    const { workspaceId, project } = owner;
    const nowMs = clock.nowMs();
    for (const [id, { untilMs }] of found) if (untilMs <= nowMs) found.delete(id);
    const known = found.get(project.id);
    if (known !== undefined) return known.version;
    // Not with the signal: others may wait for it. It takes milliseconds.
    const { signal: never } = new AbortController();
    signal.throwIfAborted();
    const version = needs.runLookup(findDataVersion, { workspaceId, projects: [project] }, never, spent);
    found.set(project.id, { untilMs: nowMs + VERSION_MS, version });
    version.catch(() => found.delete(project.id));
    return version;
  };
}

/** The text for a board whose other charts answer. Whatever is not about this one chart fails the request. */
function explain(cause: unknown, signal: AbortSignal): string {
  signal.throwIfAborted();
  if (cause instanceof EngineBusy) return "The question took too long, or needs too much memory";
  if (!(cause instanceof ApiError)) throw cause;
  return cause.message;
}
