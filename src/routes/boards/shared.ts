import type { Passwords } from "../../accounts/passwords.ts";
import { findBoard } from "../../boards/boards.ts";
import type { Chart } from "../../boards/chart.ts";
import { getChart, listCharts } from "../../boards/charts.ts";
import { comparedOf } from "../../boards/compare-segments.ts";
import type { LinkKeys, Openings } from "../../boards/link-keys.ts";
import { chooseDays, countLeftOut, defaultDays, findShown, isPeriodLocked, toAsked } from "../../boards/link-lock.ts";
import type { LinkUses } from "../../boards/link-uses.ts";
import { type BoardLink, findLinkByHash } from "../../boards/links.ts";
import { createPublicTexts } from "../../boards/public-text.ts";
import type { RunCharts } from "../../boards/run-charts.ts";
import { ApiError } from "../../contract/errors.ts";
import {
  OpenAnswer,
  OpenBody,
  SharedBoardAnswer,
  SharedBoardQuery,
  SharedChartAnswer,
  SharedChartParams,
  SharedChartQuery,
  SharedParams,
  SharedQuery,
} from "../../contract/shared.ts";
import { getReportProjects } from "../../control/report-projects.ts";
import type { ControlStore } from "../../control/store.ts";
import { findProject } from "../../control/tenants.ts";
import { JSON_TYPE } from "../../http/headers.ts";
import { rateHeaders } from "../../http/rate-limit.ts";
import { reportCost } from "../../http/request-cost.ts";
import { type Route, sharedRoute } from "../../http/route.ts";
import type { SharedRequest } from "../../http/shared/request.ts";
import { UTC, wallTimeAt } from "../../lib/time-zones.ts";
import { tolerate } from "../../lib/tolerate.ts";
import type { FindSegment } from "../../query/run/with-segment.ts";
import type { SharedLimits } from "./make-shared-needs.ts";
import type { SharedTurns } from "./shared-turns.ts";

const TAG = "Shared boards";

export interface SharedNeeds {
  store: ControlStore;
  linkKeys: LinkKeys;
  linkUses: LinkUses;
  openings: Openings;
  passwords: Passwords;
  sharedLimits: SharedLimits;
  sharedTurns: SharedTurns;
  findSegment: FindSegment;
}

/** What whoever has a link may read: its board, as far as it allows, and nothing else. */
export function sharedRoutes(needs: SharedNeeds, charts: RunCharts): Route[] {
  const toPublic = createPublicTexts();
  return [
    sharedRoute({
      method: "GET",
      path: "/api/shared/:token",
      operationId: "getSharedBoard",
      tag: TAG,
      summary: "Show a board by its public link",
      description:
        "A link with a password answers 401 without the token of `open`. One that is unknown, revoked or expired is a 404.",
      access: "open",
      perReader: true,
      params: SharedParams,
      query: SharedBoardQuery,
      answers: { 200: SharedBoardAnswer },
      async share(request) {
        const link = await getOpenLink(needs, request.params.token, request);
        const { board, shown, leftOut } = await readBoard(needs, link);
        await needs.linkUses.note(link, !request.query.again, request.nowMs, request.log);
        const timezone = await findZone(needs, link);
        const days = defaultDays(link, wallTimeAt(timezone, request.nowMs));
        const period = { ...days, locked: isPeriodLocked(link), timezone };
        const { title, description } = board;
        return {
          status: 200,
          body: {
            isSuccess: true,
            data: { title, description, period, charts: shown.map(viewChart), charts_left_out: leftOut },
          },
        };
      },
    }),
    sharedRoute({
      method: "POST",
      path: "/api/shared/:token/open",
      operationId: "openSharedBoard",
      tag: TAG,
      summary: "Prove the password of a public link",
      description: "Gives a token for the other requests. Attempts are limited by link and client.",
      access: "open",
      perReader: true,
      params: SharedParams,
      query: SharedQuery,
      body: OpenBody,
      answers: { 200: OpenAnswer },
      async share(request) {
        const { token, expires_at } = await openLink(needs, request);
        return { status: 200, body: { isSuccess: true, data: { token, expires_at } } };
      },
    }),
    sharedRoute({
      method: "GET",
      path: "/api/shared/:token/charts/:chartId",
      operationId: "getSharedChart",
      tag: TAG,
      summary: "Run a chart of a shared board",
      description: "For days that the link allows. Other days are refused, and so is every other parameter.",
      access: "open",
      perReader: true,
      params: SharedChartParams,
      query: SharedChartQuery,
      answers: { 200: SharedChartAnswer },
      async share(request) {
        const { token, chartId } = request.params;
        const link = await getOpenLink(needs, token, request);
        const chart = await getShownChart(needs, link, chartId);
        await needs.linkUses.note(link, false, request.nowMs, request.log);
        const timezone = await findZone(needs, link);
        const days = chooseDays(link, request.query, wallTimeAt(timezone, request.nowMs));
        const text = await runShared({ ...needs, charts, toPublic }, link, chart, days, request);
        const head = JSON.stringify({ isSuccess: true, data: days }).slice(0, -2);
        return { status: 200, contentType: JSON_TYPE, text: `${head},"results":${text}}}` };
      },
    }),
  ];
}

/** The same for a link that is unknown, revoked or expired, after the same one question to the store. */
function noLink(): ApiError {
  return new ApiError("NOT_FOUND", "There is no such link");
}

async function getLink({ store, linkKeys, sharedLimits }: SharedNeeds, token: string, nowMs: number) {
  const link = await findLinkByHash(store.read, linkKeys.hash(token), nowMs);
  if (link === undefined) throw noLink();
  const { limiter, policy } = sharedLimits.perLink;
  const verdict = await limiter.take(subjectOf(link), policy);
  if (!verdict.allowed)
    throw new ApiError("TOO_MANY_REQUESTS", "This link is used too often; wait a moment", {
      headers: rateHeaders(verdict),
    });
  return link;
}

const subjectOf = ({ id }: BoardLink) => `link ${id}`;

/** Throws 401 where the link has a password that the request does not prove. */
async function getOpenLink(needs: SharedNeeds, token: string, request: SharedRequest): Promise<BoardLink> {
  const link = await getLink(needs, token, request.nowMs);
  const { id, passwordHash } = link;
  if (passwordHash === null) return link;
  const opening = needs.openings.read({ id, passwordHash }, request.opening, request.nowMs);
  if (opening?.isOpen) return link;
  throw new ApiError("UNAUTHORIZED", "This link needs its password");
}

async function openLink(needs: SharedNeeds, request: SharedRequest<unknown, { token: string }, { password: string }>) {
  const { id, passwordHash } = await getLink(needs, request.params.token, request.nowMs);
  if (passwordHash === null) throw new ApiError("BAD_REQUEST", "This link has no password");
  const link = { id, passwordHash };
  const clientId = await takeGuess(needs, link, request);
  if (!(await needs.passwords.matches(passwordHash, request.body.password)))
    throw new ApiError("UNAUTHORIZED", "This is not the password", { param: "body.password" });
  const { token, untilMs } = needs.openings.make(link, clientId, request.nowMs);
  return { token, expires_at: new Date(untilMs).toISOString() };
}

/**
 * Counted before the comparison. A browser that has opened the link before has attempts of its own, so strangers who
 * guess from many addresses cannot lock it out. Who knew an earlier password guesses as strangers do. Returns the client,
 * if it is known: the next opening is for the same one, whose attempts go on being counted.
 */
async function takeGuess(
  { sharedLimits, openings }: SharedNeeds,
  link: { id: string; passwordHash: string },
  { client, opening, nowMs }: SharedRequest,
): Promise<string | undefined> {
  const known = openings.read(link, opening, nowMs);
  const { guesses, allGuesses } = sharedLimits;
  const own = await guesses.limiter.take(`link ${link.id} ${known?.clientId ?? client}`, guesses.policy);
  const all = known?.isOfPassword ? own : await allGuesses.limiter.take(`guess ${link.id}`, allGuesses.policy);
  for (const verdict of [own, all])
    if (!verdict.allowed)
      throw new ApiError("TOO_MANY_REQUESTS", "Too many attempts; wait a moment", { headers: rateHeaders(verdict) });
  return known?.clientId;
}

/** The time zone whose days the board's reports count. */
async function findZone({ store }: SharedNeeds, { workspaceId, projectId }: BoardLink): Promise<string> {
  return (await findProject(store.read, workspaceId, projectId))?.timezone ?? UTC;
}

async function readBoard({ store }: SharedNeeds, link: BoardLink) {
  const board = await findBoard(store.read, link, link.boardId);
  if (board === undefined) throw noLink();
  const { data } = await listCharts(store.read, link.workspaceId, board);
  const shown = data.flatMap((chart) => findShown(link, chart) ?? []);
  return { board, shown, leftOut: countLeftOut(link, data) };
}

/** One of this board that the link's limits hold for. */
async function getShownChart({ store }: SharedNeeds, link: BoardLink, chartId: string): Promise<Chart> {
  const board = await findBoard(store.read, link, link.boardId);
  if (board === undefined) throw noLink();
  const chart = findShown(link, await getChart(store.read, link.workspaceId, board, chartId));
  if (chart === undefined) throw new ApiError("NOT_FOUND", "There is no such chart");
  return chart;
}

interface RunNeeds extends SharedNeeds {
  charts: RunCharts;
  toPublic: ReturnType<typeof createPublicTexts>;
}

async function runShared(
  { store, charts, toPublic, findSegment, sharedLimits, sharedTurns }: RunNeeds,
  link: BoardLink,
  chart: Chart,
  days: { date_from: string; date_to: string },
  { signal, log }: SharedRequest,
): Promise<string> {
  const { workspaceId, projectId, segmentId } = link;
  const [project] = await getReportProjects(store.read, link, projectId);
  if (project === undefined) throw noLink();
  const { limiter, policy } = sharedLimits.perLink;
  const viewer = {
    signal,
    // Not the workspace's: strangers must not use up what its members may ask.
    spent: async (engineMs: number) => {
      const cost = reportCost(engineMs);
      if (cost > 0) await tolerate(limiter.charge(subjectOf(link), policy, cost), log, "the answer is not charged");
    },
    queue: sharedTurns(link),
  };
  try {
    const segment = segmentId === null ? [] : await findSegment({ workspaceId, projects: [project] }, segmentId);
    const answer = await charts.run({ workspaceId, project }, chart, toAsked(link, days, segment), viewer);
    return toPublic(answer, projectId);
  } catch (cause) {
    throw hideCause(cause, signal);
  }
}

/** What is wrong with a chart is in its question, which is not shared. */
function hideCause(cause: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || !(cause instanceof ApiError) || cause.status >= 429) return cause;
  return new ApiError("BAD_REQUEST", "This chart cannot be shown: whoever shared the board sees why", { cause });
}

/** What a page needs to draw it: the names of its report, columns and steps, and no condition. */
function viewChart(chart: Chart) {
  const { id, chart_type, title, description, report, x_axis, y_axis, group_by, steps, settings } = chart;
  const { layout, breakdown, drawn } = settings ?? {};
  const interval = chart.params?.interval;
  const isCompared = comparedOf(chart).length > 0;
  return {
    id,
    chart_type,
    title,
    description,
    report,
    // The rows show it as well; without it nobody knows which days have no row.
    params: typeof interval === "string" ? { interval } : null,
    x_axis,
    y_axis,
    group_by,
    steps: steps?.map(({ type, event }) => ({ type, event })) ?? null,
    settings: { layout, breakdown, drawn, ...(isCompared ? { isCompared } : {}) },
  };
}
