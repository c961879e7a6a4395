/** What the routes of charts share: where they are, and whose a chart is. */
import { type Board, getBoard } from "../../boards/boards.ts";
import type { Chart } from "../../boards/chart.ts";
import { getChart } from "../../boards/charts.ts";
import type { ChartOwner } from "../../boards/run-charts.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Owner } from "../../control/project-items.ts";
import { getReportProjects } from "../../control/report-projects.ts";
import type { Reader } from "../../control/store.ts";

export const CHARTS_TAG = "Charts";
export const CHARTS_PATH = "/v0/boards/:boardId/charts";

export async function getBoth(db: Reader, key: Owner, params: { boardId: string; chartId: string }) {
  const board = await getBoard(db, key, params.boardId);
  return { board, chart: await getChart(db, key.workspaceId, board, params.chartId) };
}

export async function getOwner(
  db: Reader,
  key: Owner,
  board: Board,
  { bots }: { readonly bots?: string } = {},
): Promise<ChartOwner> {
  const [project] = await getReportProjects(db, key, board.projectId, bots);
  if (project === undefined) throw new ApiError("NOT_FOUND", "There is no such board");
  return { workspaceId: key.workspaceId, project };
}

export function auditOf({ title, chart_type, boardId }: Chart) {
  return { title, chart_type, board: boardId };
}
