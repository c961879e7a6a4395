/** Evaluations: the numbers in closed windows, those they are compared with, and the verdicts. */
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
  const needed = (window: Window) => [window, ...comparedWindows(metric, calendar, window, firstMs)];
  const isSeries = metric.source.kind === "figure" || metric.source.kind === "ingest";
  const kept = isSeries ? windows : newestOf(windows, needed, most);
  const asked = [...new Map(kept.flatMap(needed).map((one) => [one.label, one])).values()];
  if (asked.length === 0) return [];
  const values: Values = isSeries
    ? await askSeries(deps, owner, metric.source, asked, asking)
    : await askApart(deps, owner, metric.source, asked, asking);
  const byLabel = new Map(asked.map(({ label }, nth) => [label, values[nth] ?? null]));
  const valueOf = ({ label }: Window) => byLabel.get(label) ?? null;
  return kept.map((window) => ({
    window,
    judged: judge(
      metric.condition,
      valueOf(window),
      comparedWindows(metric, calendar, window, firstMs).map(valueOf),
    ),
  }));
}

function newestOf(windows: readonly Window[], needed: (window: Window) => Window[], most: number): Window[] {
  const asked = new Set<number>();
  const kept: Window[] = [];
  for (const window of windows.toReversed()) {
    const labels = needed(window)
      .map(({ label }) => label)
      .filter((label) => !asked.has(label));
    if (asked.size + labels.length > most) break;
    for (const label of labels) asked.add(label);
    kept.unshift(window);
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
