/** A chart: its place on a board, and what it asks and shows. The names are those of requests and of board files. */
import type { ChartType } from "../contract/chart-types.ts";
import type { ChartDraft } from "../contract/charts.ts";
import type { ReportName } from "../contract/reports.ts";

/** A step of a funnel or a path, as the reports read it; older ones have conditions under names of properties. */
export type ChartStep = Readonly<Record<string, unknown>>;

export interface ChartSettings {
  readonly funnelType?: string;
  readonly conversionWindow?: { readonly value: number; readonly unit: string };
  readonly breakdown?: string | null;
  readonly anchors?: readonly ChartStep[];
  readonly maxSteps?: number;
  readonly nodesPerStep?: number;
  readonly filters?: string | readonly unknown[] | null;
  readonly startStep?: ChartStep | null;
  readonly endStep?: ChartStep | null;
  readonly entryFilter?: ChartStep | null;
  readonly retentionFilter?: ChartStep | null;
  readonly retentionUserFilters?: readonly unknown[] | null;
  readonly retentionSignalType?: string;
  readonly retentionCohortLabelFilters?: readonly unknown[] | null;
  readonly segment?: string | null;
  readonly segments?: readonly string[];
  readonly [other: string]: unknown;
}

/** Absent fields are null. */
export interface ChartSpec {
  readonly chart_type: ChartType;
  readonly title: string;
  readonly description: string | null;
  readonly query: string | null;
  readonly report: ReportName | null;
  readonly params: Readonly<Record<string, unknown>> | null;
  readonly x_axis: string | null;
  readonly y_axis: readonly string[] | null;
  readonly group_by: string | null;
  readonly steps: readonly ChartStep[] | null;
  readonly settings: ChartSettings | null;
}

export interface Chart extends ChartSpec {
  readonly id: string;
  readonly projectId: string;
  readonly boardId: string;
  readonly position: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number | null;
}

export type ChartSummary = Omit<Chart, keyof ChartSpec> & Pick<ChartSpec, "chart_type" | "title" | "description">;

export function toSpec(draft: ChartDraft): ChartSpec {
  return {
    chart_type: draft.chart_type as ChartType,
    title: draft.title.trim(),
    description: draft.description || null,
    query: draft.query?.trim() || null,
    report: (draft.report as ReportName | null | undefined) ?? null,
    params: (draft.params as ChartSpec["params"] | undefined) ?? null,
    x_axis: draft.x_axis ?? null,
    y_axis: draft.y_axis ?? null,
    group_by: draft.group_by ?? null,
    steps: (draft.steps as ChartStep[] | null | undefined) ?? null,
    settings: (draft.settings as ChartSettings | null | undefined) ?? null,
  };
}

/** The parts of a spec that are one text in the store. */
const KEPT = ["query", "report", "params", "x_axis", "y_axis", "group_by", "steps", "settings"] as const;

export function writeSpec(spec: ChartSpec): string {
  return JSON.stringify(Object.fromEntries(KEPT.map((name) => [name, spec[name]])));
}

export function readSpec(text: string): Pick<ChartSpec, (typeof KEPT)[number]> {
  const kept = JSON.parse(text) as Partial<ChartSpec>;
  return Object.fromEntries(KEPT.map((name) => [name, kept[name] ?? null])) as Pick<ChartSpec, (typeof KEPT)[number]>;
}

/** A chart without what is absent, as in the file of a board. */
export function toDraft(spec: ChartSpec): ChartDraft {
  const { chart_type, title, description } = spec;
  const fields = { chart_type, title, description, ...readSpec(writeSpec(spec)) };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as ChartDraft;
}

const timeOf = (ms: number) => new Date(ms).toISOString();

export function viewSummary(chart: ChartSummary) {
  const { id, projectId, boardId, chart_type, title, description, position, createdAtMs, updatedAtMs } = chart;
  return {
    id,
    project_id: projectId,
    board_id: boardId,
    chart_type,
    title,
    description,
    position,
    created_at: timeOf(createdAtMs),
    updated_at: updatedAtMs === null ? null : timeOf(updatedAtMs),
  };
}

export function viewChart(chart: Chart) {
  const { query, report, params, x_axis, y_axis, group_by, steps, settings } = chart;
  return { ...viewSummary(chart), query, report, params, x_axis, y_axis, group_by, steps, settings };
}
