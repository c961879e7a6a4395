import { ApiError } from "../contract/errors.ts";
import type { ChartAnswer } from "./answer.ts";
import type { Chart } from "./chart.ts";
import type { Asked } from "./question.ts";
import type { ChartOwner, RunCharts, Viewer } from "./run-charts.ts";

/**
 * The answer of a saved chart. One that cannot run, because its segment is gone or its statement fails, is there all the
 * same: a BAD_REQUEST, which names no field, because the request has none of them.
 */
export async function runSaved(
  charts: RunCharts,
  owner: ChartOwner,
  chart: Chart,
  asked: Asked,
  viewer: Viewer,
): Promise<ChartAnswer> {
  try {
    return await charts.run(owner, chart, asked, viewer);
  } catch (cause) {
    if (!(cause instanceof ApiError) || cause.param?.startsWith("body.") !== true) throw cause;
    const { code, message } = cause;
    throw new ApiError(code === "NOT_FOUND" ? "BAD_REQUEST" : code, message, { cause });
  }
}
