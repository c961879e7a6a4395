/**
 * The charts of a board, a few at a time. Each has an answer, or a text about why it has none. Answers beyond the size of
 * a page are let go: 60 of a megabyte would be held for one request. A smaller one may follow that still fits.
 */
import { CHART_LIMITS } from "../contract/charts.ts";
import type { ChartAnswer } from "./answer.ts";
import type { Chart } from "./chart.ts";

export interface FailedChart {
  readonly chartId: string;
  readonly error: string;
}

/** `findReason` is undefined for what is not about one chart: the request fails. */
export async function runEach(
  charts: readonly Chart[],
  run: (chart: Chart) => Promise<ChartAnswer>,
  findReason: (cause: unknown) => string | undefined,
  mostChars: number = CHART_LIMITS.pageChars,
): Promise<{ answers: ReadonlyMap<string, ChartAnswer>; failed: readonly FailedChart[] }> {
  const answers = new Map<string, ChartAnswer>();
  const errors = new Map<string, string>();
  const waiting = [...charts];
  let room = mostChars;
  const work = async () => {
    for (let chart = waiting.shift(); chart !== undefined; chart = waiting.shift()) {
      try {
        const answer = await run(chart);
        if (answer.text.length > room) {
          errors.set(chart.id, `The answers of a page have at most ${mostChars} characters: ask this chart by itself`);
        } else {
          room -= answer.text.length;
          answers.set(chart.id, answer);
        }
      } catch (cause) {
        const error = findReason(cause);
        if (error === undefined) {
          // None of the charts that still wait is started.
          waiting.length = 0;
          throw cause;
        }
        errors.set(chart.id, error);
      }
    }
  };
  await Promise.all(Array.from({ length: CHART_LIMITS.running }, work));
  const failed = charts.flatMap(({ id }) => {
    const error = errors.get(id);
    return error === undefined ? [] : [{ chartId: id, error }];
  });
  return { answers, failed };
}
