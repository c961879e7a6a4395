/** A board as a JSON file, to keep it in git or to copy it: `sextant boards export` and `import`, and the templates. */
import type { Static } from "typebox";
import { BOARD_LIMITS, description, title } from "../contract/boards.ts";
import { ChartBody } from "../contract/charts.ts";
import { ApiError } from "../contract/errors.ts";
import { Type } from "../contract/type.ts";
import type { Reader, Tx } from "../control/store.ts";
import { type Board, createBoard } from "./boards.ts";
import { toDraft, toSpec } from "./chart.ts";
import { withoutSegments } from "./chart-segments.ts";
import { createChart, listCharts } from "./charts.ts";
import { checkAxes, checkQuestion } from "./check-chart.ts";

export const BoardFile = Type.Object(
  {
    sextant_board: Type.Literal(1, { description: "The version of the format." }),
    title: title("Growth"),
    description: Type.Optional(description),
    // Read and not followed: a copy of a public board is shown to nobody until somebody asks for a link.
    isPublic: Type.Optional(Type.Boolean()),
    charts: Type.Array(ChartBody, { maxItems: BOARD_LIMITS.charts }),
  },
  { additionalProperties: false },
);
export type BoardFile = Static<typeof BoardFile>;

interface WantedCopy {
  readonly file: BoardFile;
  readonly projectId: string;
  readonly userId: string | null;
  /** Charts ask without the segments that they name: those of another project have other ids. */
  readonly isWithoutSegments?: boolean;
}

export async function exportBoard(db: Reader, workspaceId: string, board: Board): Promise<BoardFile> {
  const { data } = await listCharts(db, workspaceId, board);
  return {
    sextant_board: 1,
    title: board.title,
    ...(board.description === null ? {} : { description: board.description }),
    charts: data.map(toDraft),
  };
}

/**
 * A new board with the charts of the file. Their questions are first asked when the board is opened: a file has no
 * project, and sixty questions take minutes.
 */
export async function importBoard(
  tx: Tx,
  workspaceId: string,
  { file, projectId, userId, isWithoutSegments = false }: WantedCopy,
  nowMs: number,
): Promise<string> {
  const fields = { title: file.title.trim(), description: file.description || null };
  const id = await createBoard(tx, workspaceId, { ...fields, projectId, userId }, nowMs);
  const board = { id, projectId, ...fields, publicUntilMs: null, createdAtMs: nowMs, updatedAtMs: null };
  for (const [charts, draft] of file.charts.entries()) {
    const spec = isWithoutSegments ? withoutSegments(toSpec(draft)) : toSpec(draft);
    await refusedAt(charts, async () => {
      checkQuestion(spec);
      checkAxes(spec);
      await createChart(tx, workspaceId, { ...board, charts }, { spec, userId }, nowMs);
    });
  }
  return id;
}

async function refusedAt(at: number, save: () => Promise<void>): Promise<void> {
  try {
    await save();
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    const param = cause.param?.replace(/^body\b/, `body.charts.${at}`) ?? "body.charts";
    throw new ApiError(cause.code, `Chart ${at + 1}: ${cause.message}`, { param });
  }
}
