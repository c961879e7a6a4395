import { withSavedBots } from "../../boards/asked-visits.ts";
import { type ChartNeeds, createRunCharts } from "../../boards/run-charts.ts";
import { ApiError } from "../../contract/errors.ts";
import {
  SCHEDULE_LIMITS,
  ScheduleBody,
  ScheduleChanges,
  ScheduleDeletedAnswer,
  ScheduleListAnswer,
  ScheduleParams,
  SchedulePreviewAnswer,
  ScheduleQuery,
  ScheduleResentAnswer,
  ScheduleRunParams,
  ScheduleRunsAnswer,
  ScheduleTestAnswer,
  ScheduleView,
} from "../../contract/report-schedules.ts";
import { getReportProjects, pickProject } from "../../control/report-projects.ts";
import type { SecretBox } from "../../control/secret-box.ts";
import type { Reader } from "../../control/store.ts";
import { type Route, type RouteRequest, readRoute, writeRoute } from "../../http/route.ts";
import { newId } from "../../lib/ids.ts";
import type { Content } from "../../schedules/content.ts";
import { latestRun } from "../../schedules/due.ts";
import { gather, ScheduleBroken } from "../../schedules/gather.ts";
import { toMessage, writeReport } from "../../schedules/message.ts";
import { getSchedule, listSchedules, type Schedule } from "../../schedules/schedules.ts";
import { isRunOf, viewRuns, viewSchedule } from "../../schedules/view.ts";
import { checkTargets, createSchedule, patchSchedule, removeSchedule } from "../../schedules/write-schedule.ts";
import type { AddressPolicy } from "../../webhooks/address-guard.ts";
import { resendCaused } from "../../webhooks/caused.ts";
import { recordMessage } from "../../webhooks/record-message.ts";
import { ofSchedule } from "../../webhooks/sources.ts";

export interface ScheduleNeeds extends ChartNeeds {
  mail: { box: SecretBox; isConfigured: boolean };
  targetPolicy: AddressPolicy;
  publicApiUrl: () => string;
}

const PATH = "/v0/report_schedules";
const ONE = `${PATH}/:scheduleId`;
const READ = { tag: "Scheduled reports", access: "alerts:read" } as const;
const WRITE = { tag: "Scheduled reports", access: "alerts:write" } as const;

type GatherFor = (request: GatherRequest, schedule: Schedule, isTest: boolean) => Promise<Content>;
type GatherRequest = Pick<RouteRequest, "db" | "nowMs" | "signal">;

/** Reports that come by themselves: by mail, or to Slack. */
export function scheduleRoutes(needs: ScheduleNeeds): Route[] {
  const charts = createRunCharts({ ...needs, reports: withSavedBots(needs) });
  const gatherFor: GatherFor = async ({ db, nowMs, signal }, schedule, isTest) => {
    const run = latestRun(schedule, nowMs);
    try {
      // Needs are read when a request comes.
      const ask: typeof needs.reports.ask = (...given) => needs.reports.ask(...given);
      return await gather({ db, ask, charts }, schedule, run, { nowMs, isTest, signal });
    } catch (cause) {
      throw cause instanceof ScheduleBroken ? new ApiError("BAD_REQUEST", cause.message, { cause }) : cause;
    }
  };
  return [
    listRoute(needs),
    createRoute(needs),
    getRoute,
    patchRoute(needs),
    deleteRoute,
    previewRoute(needs, gatherFor),
    testRoute(needs, gatherFor),
    runsRoute,
    resendRoute,
  ];
}

const listRoute = (needs: ScheduleNeeds) =>
  readRoute({
    ...READ,
    method: "GET",
    path: PATH,
    operationId: "listReportSchedules",
    summary: "List scheduled reports",
    query: ScheduleQuery,
    answers: { 200: ScheduleListAnswer },
    async handle({ db, key, parts: { query } }) {
      const projects = await getReportProjects(db, key, query.project_id);
      const schedules = await listSchedules(
        db,
        key.workspaceId,
        projects.map(({ id }) => id),
      );
      const data = await Promise.all(schedules.map((schedule) => viewSchedule(db, schedule)));
      return { status: 200, body: { data, mail_is_configured: needs.mail.isConfigured } };
    },
  });

const createRoute = (needs: ScheduleNeeds) =>
  writeRoute({
    ...WRITE,
    method: "POST",
    path: PATH,
    operationId: "createReportSchedule",
    summary: "Schedule a report",
    description: `By mail or to Slack, every week or month. The owners of new addresses are asked first, and get nothing else until they confirm. A project has at most ${SCHEDULE_LIMITS.perProject}.`,
    body: ScheduleBody,
    answers: { 201: ScheduleView },
    wakesDelivery: true,
    prepare: ({ parts: { body } }) => checkTargets(body.recipients, needs.targetPolicy),
    async handle({ key, member, parts: { body }, nowMs }, tx) {
      const project = await pickProject(tx, key, body.project_id, "body.project_id");
      const context = { ...needs.mail, userId: member?.userId ?? null, nowMs };
      const id = await createSchedule(tx, key.workspaceId, project.id, body, context);
      const made = await getSchedule(tx, key, id);
      return { status: 201, body: await viewSchedule(tx, made), audit: { target: id, details: { title: made.title } } };
    },
  });

const getRoute = readRoute({
  ...READ,
  method: "GET",
  path: ONE,
  operationId: "getReportSchedule",
  summary: "Read a scheduled report",
  params: ScheduleParams,
  answers: { 200: ScheduleView },
  handle: async ({ db, key, parts: { params } }) => ({
    status: 200,
    body: await viewSchedule(db, await getSchedule(db, key, params.scheduleId)),
  }),
});

const patchRoute = (needs: ScheduleNeeds) =>
  writeRoute({
    ...WRITE,
    method: "PATCH",
    path: ONE,
    operationId: "changeReportSchedule",
    summary: "Change, stop or start a scheduled report",
    description:
      "What is left out stays. With another rhythm it is next sent after now: that sends nothing about days that are over.",
    params: ScheduleParams,
    body: ScheduleChanges,
    answers: { 200: ScheduleView },
    wakesDelivery: true,
    prepare: ({ parts: { body } }) => checkTargets(body.recipients, needs.targetPolicy),
    async handle({ key, member, parts: { params, body }, nowMs }, tx) {
      const context = { ...needs.mail, userId: member?.userId ?? null, nowMs };
      const changed = await patchSchedule(tx, key, params.scheduleId, body, context);
      const details = { title: changed.title, changed: Object.keys(body) };
      return { status: 200, body: await viewSchedule(tx, changed), audit: { target: changed.id, details } };
    },
  });

const deleteRoute = writeRoute({
  ...WRITE,
  method: "DELETE",
  path: ONE,
  operationId: "deleteReportSchedule",
  summary: "Delete a scheduled report and its history",
  params: ScheduleParams,
  answers: { 200: ScheduleDeletedAnswer },
  async handle({ key, parts: { params }, nowMs }, tx) {
    const { id, title } = await removeSchedule(tx, key, params.scheduleId, nowMs);
    return { status: 200, body: { id }, audit: { target: id, details: { title } } };
  },
});

const previewRoute = (needs: ScheduleNeeds, gatherFor: GatherFor) =>
  readRoute({
    ...READ,
    method: "GET",
    path: `${ONE}/preview`,
    operationId: "previewReportSchedule",
    summary: "The last report, as it is mailed",
    description: "Asked now, for the last days that were due. Nothing is sent.",
    params: ScheduleParams,
    answers: { 200: SchedulePreviewAnswer },
    async handle(request) {
      const schedule = await getSchedule(request.db, request.key, request.parts.params.scheduleId);
      const content = await gatherFor(request, schedule, false);
      const written = writeReport({ ...content, lateSince: null }, { publicUrl: needs.publicApiUrl() });
      return { status: 200, body: { date_from: content.from, date_to: content.to, ...written } };
    },
  });

const testRoute = (needs: ScheduleNeeds, gatherFor: GatherFor) => {
  const gathered = new WeakMap<object, Content>();
  const find = (db: Reader, { key, parts }: Pick<RouteRequest<unknown, { scheduleId: string }>, "key" | "parts">) =>
    getSchedule(db, key, parts.params.scheduleId);
  return writeRoute({
    ...WRITE,
    method: "POST",
    path: `${ONE}/test`,
    operationId: "testReportSchedule",
    summary: "Send the last report to its recipients now",
    description: "Marked as a test. The report comes at its hour all the same.",
    params: ScheduleParams,
    answers: { 202: ScheduleTestAnswer },
    wakesDelivery: true,
    // Asks the engine, so it runs before the transaction.
    async prepare(request) {
      gathered.set(request, await gatherFor(request, await find(request.db, request), true));
    },
    async handle(request, tx) {
      const { id, workspaceId } = await find(tx, request);
      const content = gathered.get(request);
      if (content === undefined) throw new ApiError("NOT_FOUND", "There is no such schedule");
      const testId = newId("tst");
      const message = toMessage(testId, content, needs.publicApiUrl());
      const { nowMs } = request;
      const outbox = { source: ofSchedule(id), message, causeId: testId, nowMs };
      const deliveries = await recordMessage(tx, workspaceId, outbox);
      return { status: 202, body: { date_from: content.from, date_to: content.to, deliveries }, audit: { target: id } };
    },
  });
};

const runsRoute = readRoute({
  ...READ,
  method: "GET",
  path: `${ONE}/runs`,
  operationId: "listReportRuns",
  summary: "The reports that were sent, newest first",
  description: `The last ${SCHEDULE_LIMITS.runs}, with what became of each delivery.`,
  params: ScheduleParams,
  answers: { 200: ScheduleRunsAnswer },
  async handle({ db, key, parts: { params } }) {
    const schedule = await getSchedule(db, key, params.scheduleId);
    return { status: 200, body: { data: await viewRuns(db, schedule, SCHEDULE_LIMITS.runs) } };
  },
});

const resendRoute = writeRoute({
  ...WRITE,
  method: "POST",
  path: `${ONE}/runs/:runId/resend`,
  operationId: "resendReportRun",
  summary: "Send a report again",
  description: "With the same numbers and the same ids, to the recipients of that time that are still there.",
  params: ScheduleRunParams,
  answers: { 202: ScheduleResentAnswer },
  wakesDelivery: true,
  async handle({ key, parts: { params }, nowMs }, tx) {
    const schedule = await getSchedule(tx, key, params.scheduleId);
    if (!(await isRunOf(tx, schedule, params.runId))) throw new ApiError("NOT_FOUND", "There is no such report");
    const deliveries = await resendCaused(tx, key.workspaceId, params.runId, nowMs);
    return { status: 202, body: { deliveries }, audit: { target: params.runId } };
  },
});
