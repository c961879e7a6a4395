/** What an alert would have done in the last days, by the same functions as its evaluations. */
import {
  METRIC_LIMITS,
  type MetricPreview,
  type PreviewFiring,
  type PreviewPoint,
} from "../../contract/metric-alerts.ts";
import { DAY_MS } from "../../lib/time.ts";
import { collectInSlices } from "../../lib/time-slices.ts";
import { advance, FIRST, type Memory } from "./advance.ts";
import { findFirstMs, type JudgedWindow, judgeAll } from "./evaluate.ts";
import { findCalendar } from "./find-calendar.ts";
import type { Metric } from "./metric.ts";
import type { Asking, MetricOwner, SourceDeps } from "./sources.ts";
import { thin } from "./thin.ts";
import { closedWindow, type Window, windowAt } from "./windows.ts";

export async function previewMetric(
  deps: SourceDeps,
  owner: MetricOwner,
  metric: Metric,
  watermarkMs: number,
  given: Omit<Asking, "calendar">,
): Promise<MetricPreview> {
  const asking = { ...given, calendar: await findCalendar(deps, owner, metric) };
  const firstMs = await findFirstMs(deps, owner, asking);
  const wanted = firstMs === null ? [] : windowsOf(metric, watermarkMs, firstMs, asking);
  const asked = { windows: wanted, firstMs, most: METRIC_LIMITS.previewQuestions };
  const judged = await judgeAll(deps, owner, metric, asked, asking);
  const firings: PreviewFiring[] = [];
  const points = await collectInSlices(replay(metric, judged, firings));
  return {
    from: timeOf(judged[0]?.window.toMs ?? watermarkMs),
    to: timeOf(judged.at(-1)?.window.toMs ?? watermarkMs),
    evaluations: judged.length,
    is_cut: judged.length < wanted.length,
    points: thin(points, METRIC_LIMITS.previewPoints),
    firings,
  };
}

/** Oldest first. None begins before the first event. */
function windowsOf(metric: Metric, watermarkMs: number, firstMs: number, { calendar }: Asking): Window[] {
  const { label } = closedWindow(metric, calendar, watermarkMs);
  const { everyMs } = metric;
  const count = Math.floor((METRIC_LIMITS.previewDays * DAY_MS) / everyMs);
  const all = Array.from({ length: count }, (_, nth) =>
    windowAt(metric, calendar, label - (count - 1 - nth) * everyMs),
  );
  return all.filter(({ fromMs }) => fromMs >= firstMs);
}

/** The points of the windows. Adds what would have fired. */
function* replay(rule: Metric, all: readonly JudgedWindow[], firings: PreviewFiring[]): Generator<PreviewPoint> {
  let memory: Memory = FIRST;
  for (const { window, judged } of all) {
    const { verdict, value, lower, upper } = judged;
    const time = timeOf(window.toMs);
    const step = advance("preview", rule, memory, { verdict, window });
    memory = step.memory;
    if (step.began !== null) firings.push({ from: time, to: null, value, notified: false });
    const current = firings.at(-1);
    if (current !== undefined && step.notification?.change === "firing") current.notified = true;
    if (current !== undefined && step.ended !== null) current.to = time;
    const bounds = { ...(lower === undefined ? {} : { lower }), ...(upper === undefined ? {} : { upper }) };
    yield { time, value, ...bounds, state: memory.state };
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
