/** Evaluations: the numbers in closed windows, those they are compared with, and the verdicts. */
import { collectInSlices, eachInSlices } from "../../lib/time-slices.ts";
import { startOfDay } from "../../lib/time-zones.ts";
import { firstDays } from "../../query/values/first-days.ts";
import { type Judged, judge } from "./judge.ts";
import type { Metric } from "./metric.ts";
import { type Asking, askApart, askSeries, type MetricOwner, type SourceDeps, type Values } from "./sources.ts";
import { comparedLabels, type Window, windowAt } from "./windows.ts";

export async function evaluate(
  deps: SourceDeps,
  owner: MetricOwner,
  metric: Metric,
  window: Window,
  asking: Asking,
): Promise<Judged> {
  const { calendar } = asking;
  const isCompared = metric.condition.kind === "changed" || metric.condition.kind === "unusual";
  const firstMs = isCompared ? await findFirstMs(deps, owner, asking) : null;
  const others = comparedLabels(metric, calendar, window.label, firstMs);
  const spans = [window, ...others.map((label) => windowAt(metric, calendar, label))];
  const [value = null, ...compared] = await askApart(deps, owner, metric.source, spans, asking);
  return judge(metric.condition, value, compared);
}

export interface JudgedWindow {
  readonly window: Window;
  readonly judged: Judged;
}

/**
 * The verdicts of many windows, oldest first, by one statement where the source has series. Otherwise by a question for
 * each, the newest first, up to `most` questions: there are then fewer verdicts than windows.
 */
export async function judgeAll(
  deps: SourceDeps,
  owner: MetricOwner,
  metric: Metric,
  { windows, firstMs, most }: { windows: readonly Window[]; firstMs: number | null; most: number },
  asking: Asking,
): Promise<JudgedWindow[]> {
  const { calendar } = asking;
  const isSeries = metric.source.kind === "figure" || metric.source.kind === "ingest";
  // 8,640 windows of 30 days have 69,120 to compare with: others are served in between.
  const all = await collectInSlices(
    windows.values().map(({ label }) => [label, ...comparedLabels(metric, calendar, label, firstMs)]),
  );
  const kept = isSeries ? all : newestOf(all, most);
  const asked = await collectInSlices(labelsOf(kept).map((label) => windowAt(metric, calendar, label)));
  if (asked.length === 0) return [];
  const values: Values = isSeries
    ? await askSeries(deps, owner, metric.source, asked, asking)
    : await askApart(deps, owner, metric.source, asked, asking);
  const found = new Map<number, number | null>();
  await eachInSlices(asked, ({ label }, nth) => found.set(label, values[nth] ?? null));
  const valueAt = (label: number) => found.get(label) ?? null;
  return collectInSlices(
    kept.values().map(([label = 0, ...compared]) => ({
      window: windowAt(metric, calendar, label),
      judged: judge(metric.condition, valueAt(label), compared.map(valueAt)),
    })),
  );
}

/** Each of them once: a Set of 70,000 that is made at once takes longer than others should wait. */
function* labelsOf(kept: readonly (readonly number[])[]): Generator<number, undefined> {
  const seen = new Set<number>();
  for (const needed of kept)
    for (const label of needed) {
      if (seen.has(label)) continue;
      seen.add(label);
      yield label;
    }
  return undefined;
}

/** `all` has of each window its label and those of the windows that it is compared with. */
function newestOf(all: readonly (readonly number[])[], most: number): (readonly number[])[] {
  const asked = new Set<number>();
  const kept: (readonly number[])[] = [];
  for (const needed of all.toReversed()) {
    const labels = needed.filter((label) => !asked.has(label));
    if (asked.size + labels.length > most) break;
    for (const label of labels) asked.add(label);
    kept.unshift(needed);
  }
  return kept;
}

/** The first day with events, null without any. A window that begins before it says nothing about what is usual. */
export async function findFirstMs(
  { runLookup }: Pick<SourceDeps, "runLookup">,
  { workspaceId, projects: [project] }: MetricOwner,
  { calendar: { zone }, signal, spent }: Asking,
): Promise<number | null> {
  const owner = { workspaceId, projects: [{ ...project, timezone: zone }] };
  const { data } = await runLookup(firstDays, owner, signal, spent);
  const day = data[0]?.first_day ?? null;
  return day === null ? null : startOfDay(zone, day);
}
