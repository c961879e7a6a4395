/** What the evaluation of metric alerts needs, of the other roles of this node. */
import { createGetChartNumber } from "../../alerts/metric/chart-number.ts";
import type { MetricJobDeps } from "../../alerts/metric/run-due.ts";
import { createFindSegment } from "../../control/segments.ts";
import type { ControlStore } from "../../control/store.ts";
import { systemClock } from "../../lib/clock.ts";
import { createReports } from "../../query/run/ask.ts";
import { createAskWindows } from "../../query/windows/ask-windows.ts";
import type { Background } from "./api.ts";

export type MetricQuestions = Omit<MetricJobDeps, "pageUrl" | "wakeDelivery">;

export function metricQuestions(
  store: ControlStore,
  { runReport, runOther, runLookup, runSql }: Background,
  lagSeconds: () => number,
): MetricQuestions {
  const findSegment = createFindSegment(store.read);
  return {
    store,
    clock: systemClock,
    lagSeconds,
    ask: createReports({ runReport, findSegment, clock: systemClock }).ask,
    windows: createAskWindows({ runOther, findSegment, clock: systemClock }),
    runLookup,
    runSql,
    getChartNumber: createGetChartNumber(store.read),
  };
}
