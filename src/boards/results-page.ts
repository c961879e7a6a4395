/** The charts of a page with their answers, up to a size: each may have a megabyte, and a page has 60 of them. */
import { CHART_LIMITS } from "../contract/charts.ts";
import type { FailedChart } from "./run-charts.ts";

interface Run {
  readonly answers: ReadonlyMap<string, { readonly text: string }>;
  readonly failed: readonly FailedChart[];
}

interface ResultsPage<Chart> {
  readonly shown: readonly { readonly chart: Chart; readonly text: string }[];
  /** In the order of the charts. */
  readonly failed: readonly FailedChart[];
}

/** What does not fit is left out by a text that says how to get it. A smaller answer may follow a larger one. */
export function toResultsPage<Chart extends { readonly id: string }>(
  charts: readonly Chart[],
  { answers, failed }: Run,
  mostChars: number = CHART_LIMITS.pageChars,
): ResultsPage<Chart> {
  const errors = new Map(failed.map(({ chartId, error }) => [chartId, error]));
  const shown: { chart: Chart; text: string }[] = [];
  let room = mostChars;
  for (const chart of charts) {
    const text = answers.get(chart.id)?.text;
    if (text === undefined) continue;
    if (text.length > room) {
      errors.set(chart.id, `The answers of a page have at most ${mostChars} characters: ask this chart by itself`);
      continue;
    }
    room -= text.length;
    shown.push({ chart, text });
  }
  const left = charts.flatMap(({ id }) => {
    const error = errors.get(id);
    return error === undefined ? [] : [{ chartId: id, error }];
  });
  return { shown, failed: left };
}
