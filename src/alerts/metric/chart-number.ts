/** The question of a saved chart of type number. */
import { findChartOfProject } from "../../boards/charts.ts";
import { toQuestion } from "../../boards/question.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Reader } from "../../control/store.ts";
import type { SourceDeps } from "./sources.ts";

export function createGetChartNumber(db: Reader): SourceDeps["getChartNumber"] {
  return async (workspaceId, projectId, chartId, days) => {
    const chart = await findChartOfProject(db, workspaceId, projectId, chartId);
    if (chart === undefined) throw refuse("NOT_FOUND", "There is no such chart");
    if (chart.chart_type !== "number") throw refuse("BAD_REQUEST", "The chart is not of type number");
    const question = toQuestion(chart, days);
    if (question.kind === "sql") return question;
    if (question.further !== undefined || (chart.settings?.segments?.length ?? 0) > 0)
      throw refuse("BAD_REQUEST", "A chart that compares segments has more than one number");
    return { kind: "report", name: question.name, params: question.params, column: chart.y_axis?.[0] ?? "" };
  };
}

function refuse(code: "NOT_FOUND" | "BAD_REQUEST", message: string): ApiError {
  return new ApiError(code, message, { param: "body.metric.chart_id" });
}
