import { importBoard } from "../../boards/board-file.ts";
import {
  changeBoard,
  createBoard,
  deleteBoard,
  getBoard,
  listBoards,
  lockBoard,
  viewBoard,
} from "../../boards/boards.ts";
import type { LinkKeys } from "../../boards/link-keys.ts";
import { publishBoard } from "../../boards/links.ts";
import { getTemplate, listTemplates } from "../../boards/templates.ts";
import {
  BOARD_LIMITS,
  BoardBody,
  BoardChanges,
  BoardDeleteQuery,
  BoardListAnswer,
  BoardListQuery,
  BoardParams,
  BoardTemplatesAnswer,
  BoardView,
} from "../../contract/boards.ts";
import { getReportProjects, pickProject } from "../../control/report-projects.ts";
import { type Route, readRoute, writeRoute } from "../../http/route.ts";

const TAG = "Boards";

const listBoardsRoute = readRoute({
  method: "GET",
  path: "/v0/boards",
  operationId: "listBoards",
  tag: TAG,
  summary: "List boards, newest first",
  access: "boards:read",
  query: BoardListQuery,
  answers: { 200: BoardListAnswer },
  async handle({ db, key, parts: { query }, nowMs }) {
    const projects = await getReportProjects(db, key, query.project_id);
    const ids = projects.map(({ id }) => id);
    const { data, ...page } = await listBoards(db, key.workspaceId, ids, query);
    return { status: 200, body: { data: data.map((board) => viewBoard(board, nowMs)), ...page } };
  },
});

export interface BoardNeeds {
  linkKeys: LinkKeys;
}

const createBoardRoute = (needs: BoardNeeds) =>
  writeRoute({
    method: "POST",
    path: "/v0/boards",
    operationId: "createBoard",
    tag: TAG,
    summary: "Create a board",
    description: `Empty, or with the charts of a template. A project has at most ${BOARD_LIMITS.perProject} boards.`,
    access: "boards:write",
    body: BoardBody,
    check({ body }) {
      const { title, template } = (body ?? {}) as { title?: unknown; template?: unknown };
      const isNamed = title !== undefined || template !== undefined;
      return isNamed ? { ok: true, value: null } : { ok: false, failures: new Map([["body.title", "is required"]]) };
    },
    answers: { 201: BoardView },
    async handle({ key, member, parts: { body }, nowMs }, tx) {
      const project = await pickProject(tx, key, body.project_id, "body.project_id");
      const owned = { projectId: project.id, userId: member?.userId ?? null };
      const given = {
        ...(body.title === undefined ? {} : { title: body.title.trim() }),
        ...(body.description === undefined ? {} : { description: body.description || null }),
      };
      const id =
        body.template === undefined
          ? await createBoard(tx, key.workspaceId, { title: "", description: null, ...given, ...owned }, nowMs)
          : await importBoard(
              tx,
              key.workspaceId,
              { file: { ...getTemplate(body.template), ...given }, ...owned },
              nowMs,
            );
      const wanted = { isPublic: true, keys: needs.linkKeys, userId: owned.userId };
      const links = body.isPublic
        ? await publishBoard(tx, key.workspaceId, { id, projectId: project.id }, wanted, nowMs)
        : [];
      const made = await getBoard(tx, key, id);
      const details = {
        title: made.title,
        ...(body.template === undefined ? {} : { template: body.template }),
        ...(links.length === 0 ? {} : { links }),
      };
      return { status: 201, body: viewBoard(made, nowMs), audit: { target: id, details } };
    },
  });

const listTemplatesRoute = readRoute({
  method: "GET",
  path: "/v0/boards/templates",
  operationId: "listBoardTemplates",
  tag: TAG,
  summary: "List the templates of boards",
  access: "boards:read",
  answers: { 200: BoardTemplatesAnswer },
  handle: async () => ({ status: 200, body: { data: listTemplates() } }),
});

const getBoardRoute = readRoute({
  method: "GET",
  path: "/v0/boards/:boardId",
  operationId: "getBoard",
  tag: TAG,
  summary: "Show a board",
  access: "boards:read",
  params: BoardParams,
  answers: { 200: BoardView },
  async handle({ db, key, parts: { params }, nowMs }) {
    return { status: 200, body: viewBoard(await getBoard(db, key, params.boardId), nowMs) };
  },
});

const changeBoardRoute = (needs: BoardNeeds) =>
  writeRoute({
    method: "PATCH",
    path: "/v0/boards/:boardId",
    operationId: "changeBoard",
    tag: TAG,
    summary: "Change a board's title, description or whether it is public",
    description: "`isPublic: true` makes a public link without limits if there is none; `false` revokes all.",
    access: "boards:write",
    params: BoardParams,
    body: BoardChanges,
    answers: { 200: BoardView },
    async handle({ key, member, parts: { params, body }, nowMs }, tx) {
      const { id, projectId } = await lockBoard(tx, key, params.boardId);
      const changes = {
        ...(body.title === undefined ? {} : { title: body.title.trim() }),
        ...(body.description === undefined ? {} : { description: body.description || null }),
      };
      await changeBoard(tx, key.workspaceId, id, changes, nowMs);
      const { isPublic } = body;
      const wanted = { keys: needs.linkKeys, userId: member?.userId ?? null };
      const published =
        isPublic === undefined
          ? {}
          : {
              isPublic,
              links: await publishBoard(tx, key.workspaceId, { id, projectId }, { isPublic, ...wanted }, nowMs),
            };
      const changed = await getBoard(tx, key, id);
      const details = { title: changed.title, ...published };
      return { status: 200, body: viewBoard(changed, nowMs), audit: { target: id, details } };
    },
  });

const deleteBoardRoute = writeRoute({
  method: "DELETE",
  path: "/v0/boards/:boardId",
  operationId: "deleteBoard",
  tag: TAG,
  summary: "Delete a board",
  description: "Answers with the deleted board. One that has charts is deleted only with `with_charts=true`.",
  access: "boards:write",
  params: BoardParams,
  query: BoardDeleteQuery,
  answers: { 200: BoardView },
  async handle({ key, parts: { params, query }, nowMs }, tx) {
    const board = await lockBoard(tx, key, params.boardId);
    await deleteBoard(tx, key.workspaceId, board, query.with_charts);
    const { id, title, charts } = board;
    return { status: 200, body: viewBoard(board, nowMs), audit: { target: id, details: { title, charts } } };
  },
});

export function boardRoutes(needs: BoardNeeds): Route[] {
  return [
    listBoardsRoute,
    createBoardRoute(needs),
    listTemplatesRoute,
    getBoardRoute,
    changeBoardRoute(needs),
    deleteBoardRoute,
  ];
}
