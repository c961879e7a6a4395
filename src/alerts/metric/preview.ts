/** What an alert would have done in the last days, by the same functions as its evaluations. */
import {
  METRIC_LIMITS,
  type MetricPreview,
  type PreviewFiring,
  type PreviewPoint,
} from "../../contract/metric-alerts.ts";
import { DAY_MS } from "../../lib/time.ts";
import { advance, FIRST, type Memory } from "./advance.ts";
import { findFirstMs } from "./evaluate.ts";
import { type Judged, judge } from "./judge.ts";
import type { Metric } from "./metric.ts";
import { type Asking, askGrid, askSpan, hasSeries, type MetricOwner, type SourceDeps, type Values } from "./sources.ts";
import { thin } from "./thin.ts";
import { closedWindow, comparison } from "./windows.ts";

export async function previewMetric(
  deps: SourceDeps,
  owner: MetricOwner,
  metric: Metric,
  watermarkMs: number,
  asking: Asking,
): Promise<MetricPreview> {
  const firstMs = await findFirstMs(deps, owner, asking);
  const wanted = firstMs === null ? [] : endsOf(metric, watermarkMs, firstMs);
  const { ends, valueAt } = hasSeries(metric.source)
    ? { ends: wanted, valueAt: await readSeries(deps, owner, metric, wanted, asking) }
    : await readSingly(deps, owner, metric, wanted, firstMs ?? 0, asking);
  const judged = ends.map((toMs) => {
    const compared = comparedEnds(metric, toMs, firstMs ?? 0).map(valueAt);
    return judge(metric.condition, valueAt(toMs), compared);
  });
  const { points, firings } = replay(metric, ends, judged);
  return {
    from: timeOf(ends[0] ?? watermarkMs),
    to: timeOf(ends.at(-1) ?? watermarkMs),
    evaluations: ends.length,
    is_cut: ends.length < wanted.length,
    points: thin(points, METRIC_LIMITS.previewPoints),
    firings,
  };
}

/** The ends of the windows, oldest first. None begins before the first event. */
function endsOf(metric: Metric, watermarkMs: number, firstMs: number): number[] {
  const { toMs } = closedWindow(metric, watermarkMs);
  const { everyMs, windowMs } = metric;
  const count = Math.floor((METRIC_LIMITS.previewDays * DAY_MS) / everyMs);
  const ends = Array.from({ length: count }, (_, nth) => toMs - (count - 1 - nth) * everyMs);
  return ends.filter((end) => end - windowMs >= firstMs);
}

/** The ends of the windows that one is compared with. */
function comparedEnds({ condition, windowMs }: Metric, toMs: number, firstMs: number): number[] {
  const { periodMs, count } = comparison(condition, windowMs);
  const ends = Array.from({ length: count }, (_, nth) => toMs - (nth + 1) * periodMs);
  return ends.filter((end) => end - windowMs >= firstMs);
}

type ValueAt = (endMs: number) => number | null;

/** One statement. The windows are made of cells: of the largest length of which all their ends are multiples. */
async function readSeries(
  deps: SourceDeps,
  owner: MetricOwner,
  metric: Metric,
  ends: readonly number[],
  asking: Asking,
): Promise<ValueAt> {
  const [first = 0, last = 0] = [ends[0], ends.at(-1)];
  if (ends.length === 0) return () => null;
  const { everyMs, windowMs, condition } = metric;
  const { periodMs, count } = comparison(condition, windowMs);
  const cellMs = [everyMs, windowMs, count > 0 ? periodMs : windowMs].reduce(commonDivisor);
  const fromMs = first - windowMs - count * periodMs;
  const grid = { fromMs, cellMs, cells: (last - fromMs) / cellMs, windowCells: windowMs / cellMs };
  const values: Values = (await askGrid(deps, owner, metric.source, grid, asking)) ?? [];
  return (endMs) => values[(endMs - fromMs) / cellMs - 1] ?? null;
}

/** A question for each window, the newest first, up to a number of questions. */
async function readSingly(
  deps: SourceDeps,
  owner: MetricOwner,
  metric: Metric,
  wanted: readonly number[],
  firstMs: number,
  asking: Asking,
): Promise<{ ends: readonly number[]; valueAt: ValueAt }> {
  const asked = new Set<number>();
  const ends: number[] = [];
  for (const toMs of wanted.toReversed()) {
    const needed = [toMs, ...comparedEnds(metric, toMs, firstMs)].filter((end) => !asked.has(end));
    if (asked.size + needed.length > METRIC_LIMITS.previewQuestions) break;
    for (const end of needed) asked.add(end);
    ends.unshift(toMs);
  }
  const values = new Map<number, number | null>();
  for (const toMs of asked)
    values.set(toMs, await askSpan(deps, owner, metric.source, { fromMs: toMs - metric.windowMs, toMs }, asking));
  return { ends, valueAt: (endMs) => values.get(endMs) ?? null };
}

function replay({ windowMs, ...rule }: Metric, ends: readonly number[], judged: readonly Judged[]) {
  const points: PreviewPoint[] = [];
  const firings: PreviewFiring[] = [];
  let memory: Memory = FIRST;
  for (const [at, toMs] of ends.entries()) {
    const { verdict, value = null, lower, upper } = judged[at] ?? { verdict: "no_data" };
    const step = advance("preview", rule, memory, { verdict, window: { fromMs: toMs - windowMs, toMs } });
    memory = step.memory;
    const bounds = { ...(lower === undefined ? {} : { lower }), ...(upper === undefined ? {} : { upper }) };
    points.push({ time: timeOf(toMs), value, ...bounds, state: memory.state });
    if (step.began !== null) firings.push({ from: timeOf(toMs), to: null, value, notified: false });
    const current = firings.at(-1);
    if (current === undefined) continue;
    if (step.notification?.change === "firing") current.notified = true;
    if (step.ended !== null) current.to = timeOf(toMs);
  }
  return { points, firings };
}

function commonDivisor(one: number, other: number): number {
  return other === 0 ? one : commonDivisor(other, one % other);
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
