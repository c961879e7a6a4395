/** A chart of a page as a chart of a board: its question without days, and how it is drawn. */
import type { ChartFields, ChartStep } from "../api/boards.ts";
import type { ApiRequest } from "../api/client.ts";
import type { RankedLook } from "../charts/kinds/ranked.ts";
import type { DrawnSpec } from "../charts/registry.ts";

/** What a board gives by itself. */
const GIVEN = ["project_id", "bots", "imported", "date_from", "date_to", "compare_from", "compare_to"];

type Params = Readonly<Record<string, unknown>>;

export function boardDraft(spec: DrawnSpec, request: ApiRequest | readonly ApiRequest[]): ChartFields {
  const [{ path, query = {} } = { path: "" }] = [request].flat();
  const question = spec.type === "segments" ? { ...query, segment: undefined } : query;
  const own = Object.entries(question).filter(([name, value]) => !GIVEN.includes(name) && value !== undefined);
  const params = withLists(Object.fromEntries(own));
  const { title } = spec;
  const asked = { title, report: path.replace(/^\/v0\//, ""), params };
  const drawn = { type: spec.type, look: spec.look };
  if (spec.type === "funnel" || spec.type === "funnel_groups")
    return { chart_type: "funnel", title, ...funnelFields(params) };
  if (spec.type === "ranked" || spec.type === "map") {
    const { column, measure } = spec.look as RankedLook;
    const axes = { x_axis: column, y_axis: [measure] };
    return { chart_type: "bar", ...asked, ...axes, settings: { drawn, layout: { width: 2, height: 2 } } };
  }
  if (spec.type === "trend") {
    const { interval, ...others } = params;
    // Hours of a longer period are too many points.
    const kept = interval === "week" || interval === "month" ? { ...others, interval } : others;
    const axes = { x_axis: "date", y_axis: [spec.look.measure] };
    const settings = { drawn, layout: { width: 4, height: 2 } };
    return { chart_type: "line", ...asked, params: kept, ...axes, settings };
  }
  if (spec.type === "segments") {
    const { interval: _, ...kept } = params;
    const axes = { x_axis: "date", y_axis: [spec.look.measure], group_by: "segment" };
    const settings = { segments: spec.look.segments.map(({ id }) => id), layout: { width: 4, height: 2 } };
    return { chart_type: "line", ...asked, params: kept, ...axes, settings };
  }
  return { chart_type: "table", ...asked, settings: { drawn, layout: layoutOf(spec.type) } };
}

function layoutOf(type: DrawnSpec["type"]): { width: number; height: number } {
  if (type === "flow") return { width: 4, height: 3 };
  return { width: type === "cohorts" ? 4 : 2, height: 2 };
}

/** Lists are JSON texts in a request, and lists in a chart: who reads the file of a board reads them. */
function withLists(params: Params): Params {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, listOf(value)]));
}

function listOf(value: unknown): unknown {
  if (typeof value !== "string" || !/^[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    // A text that begins like a list.
    return value;
  }
}

const DAY_SECONDS = 86_400;

function funnelFields({ steps, window_seconds, funnel_type, group_by, filters, segment }: Params) {
  const seconds = Number(window_seconds ?? DAY_SECONDS);
  const isDays = seconds % DAY_SECONDS === 0;
  const settings = {
    funnelType: funnel_type === "open" ? ("open" as const) : ("closed" as const),
    conversionWindow: isDays
      ? { value: seconds / DAY_SECONDS, unit: "day" as const }
      : { value: Math.max(1, Math.round(seconds / 3600)), unit: "hour" as const },
    ...(typeof group_by === "string" ? { breakdown: group_by } : {}),
    ...(filters === undefined ? {} : { filters }),
    ...(typeof segment === "string" ? { segment } : {}),
    layout: { width: 4, height: 2 },
  };
  return { steps: (Array.isArray(steps) ? steps : []) as readonly ChartStep[], settings };
}
