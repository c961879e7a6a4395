import { trackEvents, trackRawEvents } from "../events/routes.ts";
import { getHostedForm, submitHostedForm } from "../hosted/routes.ts";
import { beginWalletProof } from "../hosted/wallet-proof.ts";
import type { Route } from "../route.ts";
import { accountRoutes } from "./account.ts";
import { activityRoutes } from "./activity.ts";
import { analyticsRoutes } from "./analytics.ts";
import { annotationRoutes } from "./annotations.ts";
import { auditLog } from "./audit-log.ts";
import { biTokenRoutes } from "./bi-tokens.ts";
import { demoRoutes } from "./demo.ts";
import { docsRoutes } from "./docs.ts";
import { listFirstDays } from "./first-days.ts";
import { formRoutes } from "./forms.ts";
import { ingestRoutes } from "./ingest.ts";
import { keyRoutes } from "./keys.ts";
import { linkRoutes } from "./links.ts";
import { liveRoutes } from "./live.ts";
import { memberRoutes } from "./members.ts";
import { oidcRoutes } from "./oidc.ts";
import { passkeyRoutes } from "./passkeys.ts";
import { poll } from "./poll.ts";
import { projectRoutes } from "./projects.ts";
import { eventProperties } from "./properties.ts";
import { queryRoutes } from "./query.ts";
import { savedQueryRoutes } from "./saved-queries.ts";
import { signInRoutes } from "./sign-in.ts";
import { systemState } from "./system.ts";
import { validateApiKey } from "./validate-api-key.ts";
import { distinctValues } from "./values.ts";
import { walletRoutes } from "./wallets.ts";
import { webhookRoutes } from "./webhooks.ts";

/** The complete routes of each server: a route that is not listed here does not exist (operations: ops.ts). */
export function apiRoutes(deps: { openapi: () => object }): Route[] {
  return [
    ...analyticsRoutes(),
    ...liveRoutes(),
    ...annotationRoutes(),
    ...ingestRoutes(),
    ...activityRoutes(),
    distinctValues,
    eventProperties,
    listFirstDays,
    ...queryRoutes(),
    ...savedQueryRoutes(),
    validateApiKey(),
    ...formRoutes(),
    poll(),
    ...webhookRoutes(),
    ...signInRoutes(),
    ...passkeyRoutes(),
    ...walletRoutes(),
    ...oidcRoutes(),
    ...linkRoutes(),
    ...accountRoutes(),
    ...memberRoutes(),
    ...projectRoutes(),
    ...keyRoutes(),
    ...biTokenRoutes(),
    auditLog(),
    systemState(),
    ...demoRoutes(),
    getHostedForm,
    submitHostedForm,
    beginWalletProof,
    ...docsRoutes(deps.openapi),
  ];
}

export function eventsRoutes(): Route[] {
  return [trackEvents, trackRawEvents];
}
