import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { BoardFile, exportBoard, importBoard } from "../boards/board-file.ts";
import { findBoard, listBoards } from "../boards/boards.ts";
import { BOARD_LIMITS } from "../contract/boards.ts";
import { ApiError } from "../contract/errors.ts";
import { createSchemaChecks } from "../lib/check-schema.ts";
import { getProjectId, getWorkspace, withStore } from "./context.ts";
import { type CliDeps, CliError } from "./deps.ts";
import { isoOrNull, printOne, printRows } from "./output.ts";

export interface BoardOptions {
  workspace?: string;
  project?: string;
}

export interface ImportOptions extends BoardOptions {
  withoutSegments?: boolean;
}

export function listAll(deps: CliDeps, options: BoardOptions, command: Command): Promise<void> {
  return withStore(deps, async (store) => {
    const { id } = await getWorkspace(store.read, options.workspace);
    const project = await getProjectId(store.read, id, options.project);
    const { data } = await listBoards(store.read, id, [project], { page: 1, size: BOARD_LIMITS.perProject });
    const rows = data.map((board) => ({
      id: board.id,
      title: board.title,
      charts: board.charts,
      createdAt: isoOrNull(board.createdAtMs),
    }));
    printRows(command, deps, rows, "The project has no board; `sextant boards import <file>` creates one.");
  });
}

/** JSON whether `--json` is given or not: it is for a file. */
export function print(deps: CliDeps, boardId: string, options: BoardOptions): Promise<void> {
  return withStore(deps, async (store) => {
    const { id } = await getWorkspace(store.read, options.workspace);
    const board = await findBoard(store.read, { workspaceId: id, projectId: null }, boardId);
    if (!board) throw new CliError(`the workspace has no board ${boardId}; \`sextant boards list\` shows them`);
    deps.out(`${JSON.stringify(await exportBoard(store.read, id, board), null, 2)}\n`);
  });
}

export async function createFromFile(
  deps: CliDeps,
  file: string,
  options: ImportOptions,
  command: Command,
): Promise<void> {
  const board = readBoard(file === "-" ? await deps.readStdin() : await readText(file));
  await withStore(deps, async (store) => {
    const { id: workspaceId } = await getWorkspace(store.read, options.workspace);
    const projectId = await getProjectId(store.read, workspaceId, options.project);
    const wanted = { file: board, projectId, userId: null, isWithoutSegments: options.withoutSegments ?? false };
    const id = await told(() => store.write((tx) => importBoard(tx, workspaceId, wanted, deps.clock.nowMs())));
    const made = { id, title: board.title, charts: board.charts.length };
    printOne(command, deps, made, `Created board ${id} (${board.title}) with ${made.charts} charts.`);
  });
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new CliError(`cannot read ${file}: ${(cause as Error).message}`);
  }
}

/** The rules of the API: first the schema, then (in importBoard) what a schema cannot express. */
function readBoard(text: string): BoardFile {
  let board: unknown;
  try {
    board = JSON.parse(text);
  } catch (cause) {
    throw new CliError(`the board is not valid JSON: ${(cause as Error).message}`);
  }
  const failures = new Map<string, string>();
  createSchemaChecks().ofJson(BoardFile, "board")(board, failures);
  if (failures.size === 0) return board as BoardFile;
  const lines = [...failures].map(([path, problem]) => `  ${path} ${problem}`);
  throw new CliError(`the board cannot be used:\n${lines.join("\n")}`);
}

async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    const hint = /\bsegments?\b/.test(cause.param ?? "") ? "; --without-segments imports it without segments" : "";
    throw new CliError(`the board cannot be used: ${cause.message}${hint}`);
  }
}
