import { getAlert } from "../../alerts/alerts-table.ts";
import { hasFiring, listFirings } from "../../alerts/firings.ts";
import { viewFiring } from "../../alerts/view.ts";
import { AlertParams, FiringListAnswer, FiringListQuery, FiringParams, ResendAnswer } from "../../contract/alerts.ts";
import { ApiError } from "../../contract/errors.ts";
import { type Route, readRoute, writeRoute } from "../../http/route.ts";
import { resendCaused } from "../../webhooks/caused.ts";

const TAG = "Alerts";

/** What alerts have told. */
export function firingRoutes(): Route[] {
  return [listFiringsRoute, resendFiringRoute];
}

const listFiringsRoute = readRoute({
  tag: TAG,
  access: "alerts:read",
  method: "GET",
  path: "/v0/alerts/:alertId/firings",
  operationId: "listFirings",
  summary: "The firings of an alert, newest first",
  description: "With their deliveries, kept for 30 days.",
  params: AlertParams,
  query: FiringListQuery,
  answers: { 200: FiringListAnswer },
  async handle({ db, key, parts: { params, query } }) {
    const alert = await getAlert(db, key, params.alertId);
    const { data, ...page } = await listFirings(db, key.workspaceId, alert.id, query);
    return { status: 200, body: { data: data.map(viewFiring), ...page } };
  },
});

const resendFiringRoute = writeRoute({
  tag: TAG,
  access: "alerts:write",
  method: "POST",
  path: "/v0/alerts/:alertId/firings/:firingId/resend",
  operationId: "resendFiring",
  summary: "Send a firing again",
  description: "To the recipients that are still there, with the same ids. Deliveries that are on their way go on.",
  wakesDelivery: true,
  params: FiringParams,
  answers: { 200: ResendAnswer },
  async handle({ key, parts: { params }, nowMs }, tx) {
    const { id: alertId } = await getAlert(tx, key, params.alertId);
    const { firingId } = params;
    if (!(await hasFiring(tx, key.workspaceId, { alertId, firingId })))
      throw new ApiError("NOT_FOUND", "There is no such firing");
    const resent = await resendCaused(tx, key.workspaceId, firingId, nowMs);
    return { status: 200, body: { resent }, audit: { target: alertId, details: { firing: firingId } } };
  },
});
