import { trackEvents, trackRawEvents } from "../http/events/routes.ts";
import { hostedRoutes } from "../http/hosted/routes.ts";
import type { Route } from "../http/route.ts";
import { accountRoutes } from "./accounts/account.ts";
import { linkRoutes } from "./accounts/links.ts";
import { oidcRoutes } from "./accounts/oidc.ts";
import { passkeyRoutes } from "./accounts/passkeys.ts";
import { signInRoutes } from "./accounts/sign-in.ts";
import { walletRoutes } from "./accounts/wallets.ts";
import { alertRoutes } from "./alerts/alerts.ts";
import { notificationRoutes } from "./alerts/notifications.ts";
import { allBoardRoutes } from "./boards/all.ts";
import { docsRoutes } from "./docs/docs.ts";
import { formRoutes } from "./forms/forms.ts";
import { pollRoutes } from "./forms/poll.ts";
import { deleteImportRoutes } from "./imports/delete.ts";
import { importRoutes } from "./imports/imports.ts";
import { uploadRoutes } from "./imports/upload.ts";
import { mailAddressRoutes } from "./mail/addresses.ts";
import { mailLinkRoutes } from "./mail/links.ts";
import { eraseRoutes } from "./profiles/erase.ts";
import { profileRoutes } from "./profiles/profiles.ts";
import { walletWriteRoutes } from "./profiles/wallets.ts";
import { activityRoutes } from "./reports/activity.ts";
import { reportRoutes } from "./reports/analytics.ts";
import { annotationRoutes } from "./reports/annotations.ts";
import { firstDayRoutes } from "./reports/first-days.ts";
import { ingestRoutes } from "./reports/ingest.ts";
import { liveRoutes } from "./reports/live.ts";
import { propertyRoutes } from "./reports/properties.ts";
import { valueRoutes } from "./reports/values.ts";
import { scheduleRoutes } from "./schedules/schedules.ts";
import { segmentRoutes } from "./segments/segments.ts";
import { auditRoutes } from "./settings/audit-log.ts";
import { biTokenRoutes } from "./settings/bi-tokens.ts";
import { demoRoutes } from "./settings/demo.ts";
import { keyRoutes } from "./settings/keys.ts";
import { memberRoutes } from "./settings/members.ts";
import { projectRoutes } from "./settings/projects.ts";
import { systemRoutes } from "./settings/system.ts";
import { taskRoutes } from "./settings/tasks.ts";
import { validateKeyRoutes } from "./settings/validate-api-key.ts";
import { queryRoutes } from "./sql/query.ts";
import { savedQueryRoutes } from "./sql/saved-queries.ts";
import { webhookRoutes } from "./webhooks/webhooks.ts";

/** The tables of the API server, in the order of the document: a route that is in none of them does not exist. */
const API_TABLES = [
  reportRoutes,
  liveRoutes,
  annotationRoutes,
  ingestRoutes,
  activityRoutes,
  valueRoutes,
  propertyRoutes,
  firstDayRoutes,
  queryRoutes,
  savedQueryRoutes,
  segmentRoutes,
  profileRoutes,
  walletWriteRoutes,
  eraseRoutes,
  allBoardRoutes,
  alertRoutes,
  scheduleRoutes,
  mailAddressRoutes,
  notificationRoutes,
  validateKeyRoutes,
  formRoutes,
  pollRoutes,
  webhookRoutes,
  signInRoutes,
  passkeyRoutes,
  walletRoutes,
  oidcRoutes,
  linkRoutes,
  accountRoutes,
  memberRoutes,
  projectRoutes,
  keyRoutes,
  biTokenRoutes,
  auditRoutes,
  systemRoutes,
  demoRoutes,
  taskRoutes,
  importRoutes,
  uploadRoutes,
  deleteImportRoutes,
  hostedRoutes,
  mailLinkRoutes,
  docsRoutes,
];

/** The needs of all tables. Each table says its own; servers.ts and service/open-service.ts make them. */
export type ApiNeeds = (typeof API_TABLES)[number] extends (needs: infer Needs) => Route[] ? Needs : never;

/** The complete routes of the API server (operations: ops/ops.ts). Tables use their needs only when a request comes. */
export function apiRoutes(needs: ApiNeeds): Route[] {
  return API_TABLES.flatMap((table: (needs: ApiNeeds) => Route[]) => table(needs));
}

export function eventsRoutes(): Route[] {
  return [trackEvents, trackRawEvents];
}
