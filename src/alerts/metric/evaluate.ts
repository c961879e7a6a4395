/** Evaluations: the numbers in closed windows, those they are compared with, and the verdicts. */
import { collectInSlices } from "../../lib/time-slices.ts";
import { startOfDay } from "../../lib/time-zones.ts";
import { firstDays } from "../../query/values/first-days.ts";
import { type Judged, judge } from "./judge.ts";
import type { Metric } from "./metric.ts";
import { type Asking, askApart, askSeries, type MetricOwner, type SourceDeps, type Values } from "./sources.ts";
import { comparedWindows, type Window } from "./windows.ts";

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
  const spans = [window, ...comparedWindows(metric, calendar, window, firstMs)];
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
    windows.values().map((window) => ({ window, compared: comparedWindows(metric, calendar, window, firstMs) })),
  );
  const kept = isSeries ? all : newestOf(all, most);
  const byLabel = new Map(kept.flatMap(({ window, compared }) => [window, ...compared]).map((one) => [one.label, one]));
  const asked = [...byLabel.values()];
  if (asked.length === 0) return [];
  const values: Values = isSeries
    ? await askSeries(deps, owner, metric.source, asked, asking)
    : await askApart(deps, owner, metric.source, asked, asking);
  const found = new Map(asked.map(({ label }, nth) => [label, values[nth] ?? null]));
  const valueIn = ({ label }: Window) => found.get(label) ?? null;
  return collectInSlices(
    kept.values().map(({ window, compared }) => ({
      window,
      judged: judge(metric.condition, valueIn(window), compared.map(valueIn)),
    })),
  );
}

interface Needed {
  readonly window: Window;
  readonly compared: readonly Window[];
}

function newestOf(all: readonly Needed[], most: number): Needed[] {
  const asked = new Set<number>();
  const kept: Needed[] = [];
  for (const needed of all.toReversed()) {
    const labels = [needed.window, ...needed.compared].map(({ label }) => label).filter((label) => !asked.has(label));
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
