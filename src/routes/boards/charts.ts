import { type AskedVisits, withVisits } from "../../boards/asked-visits.ts";
import { type Board, getBoard, lockBoard, viewBoard } from "../../boards/boards.ts";
import { type Chart, type ChartSpec, toSpec, viewChart, viewSummary } from "../../boards/chart.ts";
import {
  createChart,
  deleteChart,
  getChart,
  listCharts,
  listSummaries,
  moveChart,
  reorderCharts,
  replaceChart,
} from "../../boards/charts.ts";
import { asksSql } from "../../boards/check-chart.ts";
import { type DayParameters, daysOfProject, readDays } from "../../boards/days.ts";
import type { Asked } from "../../boards/question.ts";
import type { ChartOwner, RunCharts } from "../../boards/run-charts.ts";
import { runSaved } from "../../boards/run-saved.ts";
import { runDraft, verifyChart } from "../../boards/verify-chart.ts";
import { BOARD_LIMITS, BoardParams } from "../../contract/boards.ts";
import {
  ChartBody,
  type ChartDraft,
  ChartGetQuery,
  ChartIdAnswer,
  ChartListAnswer,
  ChartListQuery,
  ChartMetaQuery,
  ChartParams,
  ChartPreviewAnswer,
  ChartPreviewQuery,
  ChartResultAnswer,
  ChartRunQuery,
  ChartSummaryListAnswer,
  ChartView,
  MoveBody,
  ReorderBody,
} from "../../contract/charts.ts";
import { ApiError } from "../../contract/errors.ts";
import { JSON_TYPE } from "../../http/headers.ts";
import { type Route, type RouteRequest, readRoute, writeRoute } from "../../http/route.ts";
import { type Days, hasBothDates } from "../../query/sql/bind-dates.ts";
import { changeChartRoute } from "./change-chart.ts";
import { auditOf, getBoth, getOwner, CHARTS_PATH as PATH, CHARTS_TAG as TAG } from "./of-chart.ts";

/** The charts of boards: kept, arranged and run. */
export function chartRoutes(charts: RunCharts): Route[] {
  return [
    ...listRoutes(charts),
    ...runRoutes(charts),
    ...saveRoutes(charts),
    changeChartRoute(charts),
    ...arrangeRoutes(),
  ];
}

interface RunQuery extends AskedVisits {
  readonly filters?: string;
  readonly segment?: string;
}

function listRoutes(charts: RunCharts): Route[] {
  return [
    readRoute({
      method: "GET",
      path: PATH,
      operationId: "listCharts",
      tag: TAG,
      summary: "List the charts of a board",
      description:
        "In their order, as summaries; with `include=spec` with their questions. With `include=results` each is run and has its question and its `results`; one that fails is left out, and `warnings` says why, as are charts beyond 8 Mi characters of answers.",
      access: "boards:read",
      params: BoardParams,
      query: ChartListQuery,
      check: ({ query }, nowMs) => readDays(query as DayParameters, nowMs, false),
      answers: { 200: ChartListAnswer },
      async handle({ db, key, parts: { params, query }, checked: days, nowMs, signal, charge }) {
        const board = await getBoard(db, key, params.boardId);
        if (query.include === "spec") {
          const { data, ...page } = await listCharts(db, key.workspaceId, board, query);
          return { status: 200, body: { data: data.map(viewChart), ...page } };
        }
        if (query.include !== "results") {
          const { data, ...page } = await listSummaries(db, key.workspaceId, board, query);
          return { status: 200, body: { data: data.map(viewSummary), ...page } };
        }
        const owner = await getOwner(db, key, board, query);
        const { data, ...page } = await listCharts(db, key.workspaceId, board, query);
        const specs = data.map((chart) => withVisits(chart, query));
        const run = await charts.runAll(owner, specs, askedOf(days, query, owner, nowMs), { signal, spent: charge });
        const shown = data.flatMap((chart) => {
          const answer = run.answers.get(chart.id);
          return answer === undefined ? [] : [withResults(chart, answer.text)];
        });
        const { failed } = run;
        const warnings = failed.length === 0 ? {} : { warnings: { failedCharts: failed.length, errors: failed } };
        const rest = JSON.stringify({ ...page, board: viewBoard(board, nowMs), ...warnings });
        return { status: 200, contentType: JSON_TYPE, text: `{"data":[${shown.join(",")}],${rest.slice(1)}` };
      },
    }),
    readRoute({
      method: "GET",
      path: `${PATH}/meta`,
      operationId: "listChartSummaries",
      tag: TAG,
      summary: "List the summaries of a board's charts",
      description: "The former way to list charts without their questions.",
      access: "boards:read",
      params: BoardParams,
      query: ChartMetaQuery,
      answers: { 200: ChartSummaryListAnswer },
      async handle({ db, key, parts: { params, query } }) {
        const board = await getBoard(db, key, params.boardId);
        const { data, ...page } = await listSummaries(db, key.workspaceId, board, query);
        return { status: 200, body: { data: data.map(viewSummary), ...page } };
      },
    }),
  ];
}

function runRoutes(charts: RunCharts): Route[] {
  return [
    readRoute({
      method: "GET",
      path: `${PATH}/:chartId`,
      operationId: "getChart",
      tag: TAG,
      summary: "Show a chart",
      description: "With `include=results` it is run and has `results`, whatever it asks.",
      access: "boards:read",
      params: ChartParams,
      query: ChartGetQuery,
      check: ({ query }, nowMs) => readDays(query as DayParameters, nowMs, false),
      answers: { 200: ChartView },
      async handle({ db, key, parts: { params, query }, checked: days, nowMs, signal, charge }) {
        const { board, chart } = await getBoth(db, key, params);
        if (query.include !== "results") return { status: 200, body: viewChart(chart) };
        const owner = await getOwner(db, key, board, query);
        const spec = withVisits(chart, query);
        const { text } = await runSaved(charts, owner, spec, askedOf(days, query, owner, nowMs), {
          signal,
          spent: charge,
        });
        return { status: 200, contentType: JSON_TYPE, text: withResults(chart, text) };
      },
    }),
    readRoute({
      method: "GET",
      path: `${PATH}/:chartId/query`,
      operationId: "queryChart",
      tag: TAG,
      summary: "Run a chart for some days",
      description:
        "The answer is a JSON text. SQL must have both `{{date_from}}` and `{{date_to}}`; other SQL is run by `include=results` of the chart.",
      access: "boards:read",
      params: ChartParams,
      query: ChartRunQuery,
      check: ({ query }, nowMs) => readDays(query as DayParameters, nowMs, true),
      answers: { 200: ChartResultAnswer },
      async handle({ db, key, parts: { params, query }, checked: days, nowMs, signal, charge }) {
        const { board, chart } = await getBoth(db, key, params);
        if (asksSql(chart) && !hasBothDates(chart.query ?? ""))
          throw new ApiError("BAD_REQUEST", "The chart's query must contain both {{date_from}} and {{date_to}}");
        const owner = await getOwner(db, key, board, query);
        const spec = withVisits(chart, query);
        const { text } = await runSaved(charts, owner, spec, askedOf(days, query, owner, nowMs), {
          signal,
          spent: charge,
        });
        return { status: 200, body: { result: text } };
      },
    }),
  ];
}

function saveRoutes(charts: RunCharts): Route[] {
  /** Found before the transaction, because a question takes longer than a transaction may. */
  const verified = new WeakMap<object, ChartSpec>();
  async function verify(request: RouteRequest<unknown, unknown, ChartDraft>, board: Board): Promise<void> {
    const { db, key, parts, nowMs, signal, charge } = request;
    const owner = await getOwner(db, key, board, {});
    const days = readDays({}, nowMs, false);
    if (!days.ok) throw new Error("the default days are refused");
    const spec = await verifyChart(charts, owner, toSpec(parts.body), days.value, { signal, spent: charge });
    verified.set(request, spec);
  }
  function takeVerified(request: object): ChartSpec {
    const spec = verified.get(request);
    if (spec === undefined) throw new Error("the chart was not verified");
    return spec;
  }
  return [
    readRoute({
      method: "POST",
      path: `${PATH}/preview`,
      operationId: "previewChart",
      tag: TAG,
      summary: "Run a chart that is not saved",
      description:
        "For editors: asks the question of the body. Its axes are checked only when it is saved, because they are chosen from the columns of this answer. It changes nothing, so it needs no Idempotency-Key.",
      access: "boards:write",
      params: BoardParams,
      query: ChartPreviewQuery,
      body: ChartBody,
      check: ({ query }, nowMs) => readDays(query as DayParameters, nowMs, false),
      answers: { 200: ChartPreviewAnswer },
      async handle({ db, key, parts: { params, query, body }, checked: days, nowMs, signal, charge }) {
        const owner = await getOwner(db, key, await getBoard(db, key, params.boardId), query);
        const spec = withVisits(toSpec(body), query);
        const { text } = await runDraft(charts, owner, spec, askedOf(days, query, owner, nowMs), {
          signal,
          spent: charge,
        });
        return { status: 200, contentType: JSON_TYPE, text };
      },
    }),
    writeRoute({
      method: "POST",
      path: PATH,
      operationId: "createChart",
      tag: TAG,
      summary: "Add a chart to a board",
      description:
        "After its others. Its question is asked once, with few rows: x_axis, y_axis and group_by must be columns of the " +
        `answer, and a number must be one row of one column. A board has at most ${BOARD_LIMITS.charts} charts.`,
      access: "boards:write",
      params: BoardParams,
      body: ChartBody,
      answers: { 201: ChartView },
      async prepare(request) {
        await verify(request, await getBoard(request.db, request.key, request.parts.params.boardId));
      },
      async handle(request, tx) {
        const { key, member, parts, nowMs } = request;
        const board = await lockBoard(tx, key, parts.params.boardId);
        const made = { spec: takeVerified(request), userId: member?.userId ?? null };
        const id = await createChart(tx, key.workspaceId, board, made, nowMs);
        const chart = await getChart(tx, key.workspaceId, board, id);
        return { status: 201, body: viewChart(chart), audit: { target: id, details: auditOf(chart) } };
      },
    }),
    writeRoute({
      method: "PUT",
      path: `${PATH}/:chartId`,
      operationId: "replaceChart",
      tag: TAG,
      summary: "Replace a chart",
      description: "All of it: what is left out is absent afterwards. Checked as a new one. Answers with its id.",
      access: "boards:write",
      params: ChartParams,
      body: ChartBody,
      answers: { 200: ChartIdAnswer },
      async prepare(request) {
        const { board } = await getBoth(request.db, request.key, request.parts.params);
        await verify(request, board);
      },
      async handle(request, tx) {
        const { key, parts, nowMs } = request;
        const { chart } = await getBoth(tx, key, parts.params);
        const spec = takeVerified(request);
        await replaceChart(tx, key.workspaceId, chart, spec, nowMs);
        return { status: 200, body: chart.id, audit: { target: chart.id, details: auditOf({ ...chart, ...spec }) } };
      },
    }),
  ];
}

function arrangeRoutes(): Route[] {
  return [
    writeRoute({
      method: "PUT",
      path: `${PATH}/reorder`,
      operationId: "reorderCharts",
      tag: TAG,
      summary: "Arrange the charts of a board",
      access: "boards:write",
      params: BoardParams,
      body: ReorderBody,
      answers: { 204: null },
      async handle({ key, parts: { params, body } }, tx) {
        const board = await lockBoard(tx, key, params.boardId);
        await reorderCharts(tx, key.workspaceId, board, body.chartIds);
        return { status: 204, text: "", audit: { target: board.id, details: { title: board.title } } };
      },
    }),
    writeRoute({
      method: "PUT",
      path: `${PATH}/:chartId/move`,
      operationId: "moveChart",
      tag: TAG,
      summary: "Move a chart to another board of the project",
      access: "boards:write",
      params: ChartParams,
      body: MoveBody,
      answers: { 200: ChartView },
      async handle({ key, parts: { params, body }, nowMs }, tx) {
        const { chart } = await getBoth(tx, key, params);
        const target = await lockBoard(tx, key, body.targetBoardId, "body.targetBoardId");
        await moveChart(tx, key.workspaceId, chart, target, nowMs);
        const moved = await getChart(tx, key.workspaceId, target, chart.id);
        return { status: 200, body: viewChart(moved), audit: { target: chart.id, details: auditOf(moved) } };
      },
    }),
    writeRoute({
      method: "POST",
      path: `${PATH}/:chartId/duplicate`,
      operationId: "duplicateChart",
      tag: TAG,
      summary: "Copy a chart",
      description: "To the end of the same board. Answers with the id of the copy.",
      access: "boards:write",
      params: ChartParams,
      answers: { 201: ChartIdAnswer },
      async handle({ key, member, parts: { params }, nowMs }, tx) {
        const board = await lockBoard(tx, key, params.boardId);
        const chart = await getChart(tx, key.workspaceId, board, params.chartId);
        const copy = { spec: chart, userId: member?.userId ?? null };
        const id = await createChart(tx, key.workspaceId, board, copy, nowMs);
        return { status: 201, body: id, audit: { target: id, details: { ...auditOf(chart), copyOf: chart.id } } };
      },
    }),
    writeRoute({
      method: "DELETE",
      path: `${PATH}/:chartId`,
      operationId: "deleteChart",
      tag: TAG,
      summary: "Delete a chart",
      access: "boards:write",
      params: ChartParams,
      answers: { 200: null },
      async handle({ key, parts: { params } }, tx) {
        const { chart } = await getBoth(tx, key, params);
        await deleteChart(tx, key.workspaceId, chart.id);
        return { status: 200, text: "", audit: { target: chart.id, details: auditOf(chart) } };
      },
    }),
  ];
}

function askedOf(checked: Days, query: RunQuery & DayParameters, { project }: ChartOwner, nowMs: number): Asked {
  const { filters, segment } = query;
  return { ...daysOfProject(checked, query, project, nowMs), filters, segment };
}

/** The answer is a text already. */
function withResults(chart: Chart, results: string): string {
  return `${JSON.stringify(viewChart(chart)).slice(0, -1)},"results":${results}}`;
}
