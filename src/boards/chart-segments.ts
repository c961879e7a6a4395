/** The segments that charts name: a chart is saved only while they exist, because it would fail without one. */
import { ApiError } from "../contract/errors.ts";
import { SEGMENT_COLUMN } from "../contract/segment-names.ts";
import { lockSegment } from "../control/lock-rows.ts";
import type { Reader, Tx } from "../control/store.ts";
import { isId } from "../lib/ids.ts";
import { type ChartSpec, readSpec } from "./chart.ts";

type Naming = Pick<ChartSpec, "params" | "settings">;

interface NamedSegment {
  readonly id: string;
  /** Where the chart names it. */
  readonly field: string;
}

/** A value that is no text is refused by the report. */
function segmentsOf({ params, settings }: Naming): NamedSegment[] {
  const named: [field: string, id: unknown][] = [
    ["params.segment", params?.segment],
    ["settings.segment", settings?.segment],
    ...(settings?.segments ?? []).map((id, at): [string, string] => [`settings.segments.${at}`, id]),
  ];
  return named.flatMap(([field, id]) => (typeof id === "string" ? [{ id, field }] : []));
}

/**
 * Refuses a chart that names a segment which the project lacks. The others cannot be deleted until the transaction ends:
 * the question of a new chart takes seconds, in which somebody may delete a segment of it.
 */
export async function lockSegments(tx: Tx, workspaceId: string, projectId: string, spec: Naming): Promise<void> {
  // In one order, so that two writers do not wait for each other.
  const named = segmentsOf(spec).sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const { id, field } of named)
    if (!isId("seg", id) || !(await lockSegment(tx, workspaceId, projectId, id))) throw noSegment(id, field);
}

/** As when its question is asked: the report knows no such segment, or the list of the chart is wrong. */
function noSegment(id: string, field: string): ApiError {
  const code = field.startsWith("settings.segments.") ? "BAD_REQUEST" : "NOT_FOUND";
  return new ApiError(code, `There is no segment ${id.slice(0, 80)}`, { param: `body.${field}` });
}

/** The charts that name a segment. */
export async function findChartsOfSegment(
  db: Reader,
  workspaceId: string,
  segment: { readonly id: string; readonly projectId: string },
): Promise<{ id: string; title: string }[]> {
  const rows = await db
    .selectFrom("charts")
    .select(["id", "title", "spec"])
    .where("workspace_id", "=", workspaceId)
    // A chart names segments of its project, which has at most 6,000 charts; the workspace may have many projects.
    .where("project_id", "=", segment.projectId)
    // Ids are letters, digits and one underline, which here also matches another character: the spec decides.
    .where("spec", "like", `%${segment.id}%`)
    .orderBy("title")
    .orderBy("id")
    .execute();
  return rows.flatMap(({ id, title, spec }) =>
    segmentsOf(readSpec(spec)).some((named) => named.id === segment.id) ? [{ id, title }] : [],
  );
}

/** The chart of everybody. What compared segments has one part left: a stacked bar is then a bar. */
export function withoutSegments(spec: ChartSpec): ChartSpec {
  if (segmentsOf(spec).length === 0) return spec;
  const { segment: _one, ...params } = spec.params ?? {};
  const { segment: _own, segments = [], ...settings } = spec.settings ?? {};
  const kept = {
    ...spec,
    params: spec.params === null ? null : params,
    settings: spec.settings === null ? null : settings,
  };
  if (segments.length === 0) return kept;
  const told = (column: string | null) => (column === SEGMENT_COLUMN ? null : column);
  const isStack = spec.chart_type === "stacked" && spec.group_by === SEGMENT_COLUMN;
  const chart_type = isStack ? "bar" : spec.chart_type;
  return { ...kept, chart_type, x_axis: told(spec.x_axis), group_by: told(spec.group_by) };
}
