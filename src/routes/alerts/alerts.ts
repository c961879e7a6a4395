import { getAlert, listAlerts } from "../../alerts/alerts-table.ts";
import { checkAlert } from "../../alerts/read-alert.ts";
import type { GivenRecipient } from "../../alerts/recipients.ts";
import { sendTest, type TestDeps } from "../../alerts/send-test.ts";
import { viewAlert } from "../../alerts/view.ts";
import {
  type AlertContext,
  checkTargets,
  createAlert,
  patchAlert,
  removeAlert,
  replaceAlert,
} from "../../alerts/write-alert.ts";
import {
  ALERT_LIMITS,
  AlertBody,
  AlertChanges,
  AlertDeletedAnswer,
  AlertListAnswer,
  AlertListQuery,
  AlertParams,
  AlertReplacement,
  AlertTestAnswer,
  AlertTestBody,
  AlertView,
} from "../../contract/alerts.ts";
import { getReportProjects, pickProject } from "../../control/report-projects.ts";
import type { Tx } from "../../control/store.ts";
import { type Checked, type Route, type RouteRequest, readRoute, writeRoute } from "../../http/route.ts";
import { askRecipients } from "../../mail/ask.ts";
import { ofAlert } from "../../webhooks/sources.ts";
import { firingRoutes } from "./firings.ts";
import { type PreviewNeeds, previewRoutes } from "./preview.ts";

const TAG = "Alerts";
const READ = { tag: TAG, access: "alerts:read" } as const;
const WRITE = { tag: TAG, access: "alerts:write", answersSecret: true } as const;

/** Asks the owners of its addresses, where there is a mail server. */
async function askOwners(
  { alerts, mail }: AlertNeeds,
  { key, member, nowMs }: Pick<RouteRequest, "key" | "member" | "nowMs">,
  tx: Tx,
  alertId: string,
): Promise<void> {
  const context = { box: alerts.box, userId: member?.userId ?? null, nowMs };
  if (mail.isConfigured) await askRecipients(tx, key.workspaceId, ofAlert(alertId), context);
}

interface AlertNeeds extends PreviewNeeds {
  mail: { isConfigured: boolean };
  /** Encrypts secrets, knows which targets are allowed, and sends tests. */
  alerts: AlertContext & TestDeps;
}

/** Alerts: what they look for, whom they tell, and what they have told. */
export function alertRoutes(needs: AlertNeeds): Route[] {
  return [
    listAlertsRoute,
    createAlertRoute(needs),
    getAlertRoute,
    replaceAlertRoute(needs),
    patchAlertRoute(needs),
    deleteAlertRoute,
    testAlertRoute(needs),
    ...previewRoutes(needs),
    ...firingRoutes(),
  ];
}

const listAlertsRoute = readRoute({
  ...READ,
  method: "GET",
  path: "/v0/alerts",
  operationId: "listAlerts",
  summary: "List alerts, newest first",
  query: AlertListQuery,
  answers: { 200: AlertListAnswer },
  async handle({ db, key, parts: { query } }) {
    const projects = await getReportProjects(db, key, query.project_id);
    const ids = projects.map(({ id }) => id);
    const { data, ...page } = await listAlerts(db, key.workspaceId, ids, query);
    return { status: 200, body: { data: data.map(viewAlert), ...page } };
  },
});

const createAlertRoute = (needs: AlertNeeds) =>
  writeRoute({
    ...WRITE,
    wakesDelivery: true,
    method: "POST",
    path: "/v0/alerts",
    operationId: "createAlert",
    summary: "Create an alert",
    description:
      "An `event` alert tells about every stored event that meets its conditions, a `user` alert about every wallet, at " +
      `most once in ${ALERT_LIMITS.walletHours} hours. It begins with what is received from now on.`,
    body: AlertBody,
    check: ({ body }) => check(body),
    answers: { 201: AlertView },
    prepare: ({ parts: { body } }) => checkTargets(body.recipient as GivenRecipient[] | undefined, needs.alerts.policy),
    async handle(request, tx) {
      const { key, member, parts, nowMs } = request;
      const { body } = parts;
      const project = await pickProject(tx, key, body.project_id, "body.project_id");
      const wanted = { projectId: project.id, userId: member?.userId ?? null, body };
      const id = await createAlert(tx, key.workspaceId, wanted, { box: needs.alerts.box, nowMs });
      await askOwners(needs, request, tx, id);
      const made = await getAlert(tx, key, id);
      return { status: 201, body: viewAlert(made), audit: { target: id, details: { name: made.name } } };
    },
  });

const getAlertRoute = readRoute({
  ...READ,
  method: "GET",
  path: "/v0/alerts/:alertId",
  operationId: "getAlert",
  summary: "Read an alert",
  params: AlertParams,
  answers: { 200: AlertView },
  handle: async ({ db, key, parts: { params } }) => ({
    status: 200,
    body: viewAlert(await getAlert(db, key, params.alertId)),
  }),
});

const replaceAlertRoute = (needs: AlertNeeds) =>
  writeRoute({
    ...WRITE,
    wakesDelivery: true,
    method: "PUT",
    path: "/v0/alerts/:alertId",
    operationId: "replaceAlert",
    summary: "Replace an alert",
    description: "Fields that are left out are as those of a new alert; its status and its mute stay.",
    params: AlertParams,
    body: AlertReplacement,
    check: ({ body }) => check(body),
    answers: { 200: AlertView },
    prepare: ({ parts: { body } }) => checkTargets(body.recipient as GivenRecipient[] | undefined, needs.alerts.policy),
    async handle(request, tx) {
      const { key, parts, nowMs } = request;
      const { params, body } = parts;
      await replaceAlert(tx, key, { id: params.alertId, body }, { box: needs.alerts.box, nowMs });
      await askOwners(needs, request, tx, params.alertId);
      const changed = await getAlert(tx, key, params.alertId);
      return { status: 200, body: viewAlert(changed), audit: { target: changed.id, details: { name: changed.name } } };
    },
  });

const patchAlertRoute = (needs: AlertNeeds) =>
  writeRoute({
    ...WRITE,
    wakesDelivery: true,
    method: "PATCH",
    path: "/v0/alerts/:alertId",
    operationId: "changeAlert",
    summary: "Change, switch or mute an alert",
    params: AlertParams,
    body: AlertChanges,
    answers: { 200: AlertView },
    prepare: ({ parts: { body } }) => checkTargets(body.recipient as GivenRecipient[] | undefined, needs.alerts.policy),
    async handle(request, tx) {
      const { key, parts, nowMs } = request;
      const { params, body } = parts;
      await patchAlert(tx, key, { id: params.alertId, changes: body }, { box: needs.alerts.box, nowMs });
      await askOwners(needs, request, tx, params.alertId);
      const changed = await getAlert(tx, key, params.alertId);
      const details = { name: changed.name, status: changed.status };
      return { status: 200, body: viewAlert(changed), audit: { target: changed.id, details } };
    },
  });

const deleteAlertRoute = writeRoute({
  tag: TAG,
  access: "alerts:write",
  method: "DELETE",
  path: "/v0/alerts/:alertId",
  operationId: "deleteAlert",
  summary: "Delete an alert and its history",
  params: AlertParams,
  answers: { 200: AlertDeletedAnswer },
  async handle({ key, parts: { params }, nowMs }, tx) {
    const { id, name } = await removeAlert(tx, key, params.alertId, nowMs);
    return { status: 200, body: 1, audit: { target: id, details: { name } } };
  },
});

const testAlertRoute = ({ alerts }: AlertNeeds) =>
  readRoute({
    tag: TAG,
    access: "alerts:write",
    method: "POST",
    path: "/v0/alerts/:alertId/test",
    operationId: "testAlert",
    summary: "Send a sample to the recipients at once",
    description:
      "Real requests, signed as those of the alert, and mails to its addresses whose owners have confirmed them. The answer " +
      "says of each recipient what became of it. Nothing of it is in its history.",
    params: AlertParams,
    body: AlertTestBody,
    answers: { 200: AlertTestAnswer },
    async handle({ db, key, parts: { params, body }, nowMs, signal }) {
      const alert = await getAlert(db, key, params.alertId);
      return { status: 200, body: await sendTest(db, alert, body, { deps: alerts, nowMs, signal }) };
    },
  });

function check(body: unknown): Checked<undefined> {
  const failures = new Map<string, string>();
  checkAlert(body, undefined, (path, reason) => failures.set(path, reason));
  return failures.size > 0 ? { ok: false, failures } : { ok: true, value: undefined };
}
