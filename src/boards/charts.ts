/** The charts of a board, in their order. */
import { BOARD_LIMITS } from "../contract/boards.ts";
import type { ChartType } from "../contract/chart-types.ts";
import { ApiError } from "../contract/errors.ts";
import { type Page, type Paging, toPage, windowOf } from "../control/page.ts";
import type { Reader, Tx } from "../control/store.ts";
import { isId, newId } from "../lib/ids.ts";
import type { Board } from "./boards.ts";
import { type Chart, type ChartSpec, type ChartSummary, readSpec, writeSpec } from "./chart.ts";
import { lockSegments } from "./chart-segments.ts";

const HEAD = [
  "id",
  "project_id",
  "board_id",
  "position",
  "chart_type",
  "title",
  "description",
  "created_at",
  "updated_at",
] as const;

export async function listSummaries(
  db: Reader,
  workspaceId: string,
  board: Board,
  paging: Paging,
): Promise<Page<ChartSummary>> {
  const rows = await ofBoard(db, workspaceId, board.id, paging).select(HEAD).execute();
  return toPage(paging, rows.map(toSummary), board.charts);
}

export async function listCharts(
  db: Reader,
  workspaceId: string,
  board: Board,
  paging: Paging = { page: 1, size: BOARD_LIMITS.charts },
): Promise<Page<Chart>> {
  const rows = await ofBoard(db, workspaceId, board.id, paging)
    .select([...HEAD, "spec"])
    .execute();
  return toPage(paging, rows.map(toChart), board.charts);
}

export async function getChart(db: Reader, workspaceId: string, board: Board, id: string): Promise<Chart> {
  const row = isId("cht", id)
    ? await db
        .selectFrom("charts")
        .select([...HEAD, "spec"])
        .where("workspace_id", "=", workspaceId)
        .where("board_id", "=", board.id)
        .where("id", "=", id)
        .executeTakeFirst()
    : undefined;
  if (row === undefined) throw new ApiError("NOT_FOUND", "There is no such chart");
  return toChart(row);
}

/** Undefined for a chart that is in no board of the project. */
export async function findChartOfProject(
  db: Reader,
  workspaceId: string,
  projectId: string,
  id: string,
): Promise<Chart | undefined> {
  if (!isId("cht", id)) return undefined;
  const row = await db
    .selectFrom("charts")
    .select([...HEAD, "spec"])
    .where("workspace_id", "=", workspaceId)
    .where("project_id", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row && toChart(row);
}

/** After the others of a locked board. */
export async function createChart(
  tx: Tx,
  workspaceId: string,
  board: Board,
  { spec, userId }: { spec: ChartSpec; userId: string | null },
  nowMs: number,
): Promise<string> {
  const position = await nextPosition(tx, workspaceId, board);
  await lockSegments(tx, workspaceId, board.projectId, spec);
  const id = newId("cht");
  const { chart_type, title, description } = spec;
  await tx
    .insertInto("charts")
    .values({
      id,
      workspace_id: workspaceId,
      project_id: board.projectId,
      board_id: board.id,
      position,
      chart_type,
      title,
      description,
      spec: writeSpec(spec),
      created_by: userId,
      created_at: nowMs,
      updated_at: null,
    })
    .execute();
  return id;
}

export async function replaceChart(
  tx: Tx,
  workspaceId: string,
  chart: Pick<Chart, "id" | "projectId">,
  spec: ChartSpec,
  nowMs: number,
): Promise<void> {
  await lockSegments(tx, workspaceId, chart.projectId, spec);
  await describeChart(tx, workspaceId, chart.id, spec, nowMs);
}

/** A change that names no other segments. Those of the chart may be gone: it can still be renamed and made wider. */
export async function describeChart(
  tx: Tx,
  workspaceId: string,
  id: string,
  spec: ChartSpec,
  nowMs: number,
): Promise<void> {
  const { chart_type, title, description } = spec;
  await tx
    .updateTable("charts")
    .set({ chart_type, title, description, spec: writeSpec(spec), updated_at: nowMs })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", id)
    .execute();
}

export async function deleteChart(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx.deleteFrom("charts").where("workspace_id", "=", workspaceId).where("id", "=", id).execute();
}

/** To the end of another board of the same project, a locked one. */
export async function moveChart(
  tx: Tx,
  workspaceId: string,
  chart: Chart,
  target: Board,
  nowMs: number,
): Promise<void> {
  if (target.projectId !== chart.projectId)
    throw new ApiError("NOT_FOUND", "There is no such board", { param: "body.targetBoardId" });
  if (target.id === chart.boardId)
    throw new ApiError("BAD_REQUEST", "The chart is on this board already", { param: "body.targetBoardId" });
  const position = await nextPosition(tx, workspaceId, target);
  await tx
    .updateTable("charts")
    .set({ board_id: target.id, position, updated_at: nowMs })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", chart.id)
    .execute();
}

/** The listed ones first; the others follow in their old order. */
export async function reorderCharts(
  tx: Tx,
  workspaceId: string,
  board: Board,
  wanted: readonly string[],
): Promise<void> {
  const { data } = await listSummaries(tx, workspaceId, board, { page: 1, size: BOARD_LIMITS.charts });
  const known = new Set(data.map(({ id }) => id));
  const listed = new Set(wanted);
  if (listed.size < wanted.length)
    throw new ApiError("BAD_REQUEST", "A chart is listed twice", { param: "body.chartIds" });
  const unknown = wanted.findIndex((id) => !known.has(id));
  if (unknown >= 0)
    throw new ApiError("BAD_REQUEST", "The board has no such chart", { param: `body.chartIds.${unknown}` });
  const order = [...wanted, ...[...known].filter((id) => !listed.has(id))];
  for (const [position, id] of order.entries())
    await tx
      .updateTable("charts")
      .set({ position })
      .where("workspace_id", "=", workspaceId)
      .where("board_id", "=", board.id)
      .where("id", "=", id)
      .execute();
}

async function nextPosition(tx: Tx, workspaceId: string, board: Board): Promise<number> {
  if (board.charts >= BOARD_LIMITS.charts)
    throw new ApiError("BAD_REQUEST", `A board has at most ${BOARD_LIMITS.charts} charts: delete or move some`);
  const last = await tx
    .selectFrom("charts")
    .select((is) => is.fn.max("position").as("position"))
    .where("workspace_id", "=", workspaceId)
    .where("board_id", "=", board.id)
    .executeTakeFirst();
  return Number(last?.position ?? -1) + 1;
}

function ofBoard(db: Reader, workspaceId: string, boardId: string, paging: Paging) {
  const { limit, offset } = windowOf(paging);
  return db
    .selectFrom("charts")
    .where("workspace_id", "=", workspaceId)
    .where("board_id", "=", boardId)
    .orderBy("position")
    .orderBy("created_at")
    .orderBy("id")
    .limit(limit)
    .offset(offset);
}

interface SummaryRow {
  id: string;
  project_id: string;
  board_id: string;
  position: number;
  chart_type: string;
  title: string;
  description: string | null;
  created_at: number;
  updated_at: number | null;
}

function toSummary(row: SummaryRow): ChartSummary {
  return {
    id: row.id,
    projectId: row.project_id,
    boardId: row.board_id,
    position: row.position,
    chart_type: row.chart_type as ChartType,
    title: row.title,
    description: row.description,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  };
}

function toChart(row: SummaryRow & { spec: string }): Chart {
  return { ...toSummary(row), ...readSpec(row.spec) };
}
