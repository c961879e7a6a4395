/** One evaluation: the number in a closed window, those it is compared with, and the verdict. */

import { firstDays } from "../../query/values/first-days.ts";
import type { Span } from "../../query/windows/spans.ts";
import { spansOf } from "../../query/windows/spans.ts";
import { type Judged, judge } from "./judge.ts";
import type { Metric } from "./metric.ts";
import { type Asking, askComb, type MetricOwner, type SourceDeps } from "./sources.ts";
import { comparedWindows } from "./windows.ts";

export async function evaluate(
  deps: SourceDeps,
  owner: MetricOwner,
  metric: Metric,
  window: Span,
  asking: Asking,
): Promise<Judged> {
  const comb = comparedWindows(metric, window);
  const firstMs = comb.count > 1 ? await findFirstMs(deps, owner, asking) : null;
  // Nothing is asked of the time before the first event.
  const kept = spansOf(comb).filter(({ fromMs }, nth) => nth === 0 || (firstMs !== null && fromMs >= firstMs)).length;
  const [value = null, ...compared] = await askComb(deps, owner, metric.source, { ...comb, count: kept }, asking);
  return judge(metric.condition, value, compared);
}

/** The first day with events, null without any. A window that begins before it says nothing about what is usual. */
export async function findFirstMs(
  { runLookup }: Pick<SourceDeps, "runLookup">,
  owner: MetricOwner,
  { signal, spent }: Asking,
): Promise<number | null> {
  const { data } = await runLookup(firstDays, owner, signal, spent);
  const day = data[0]?.first_day ?? null;
  return day === null ? null : Date.parse(day);
}
