import type { Static } from "typebox";
import type { AlertFilter } from "../../alerts/conditions.ts";
import { previewMetric } from "../../alerts/metric/preview.ts";
import { getMetric } from "../../alerts/metric/read-metric.ts";
import type { SourceDeps } from "../../alerts/metric/sources.ts";
import { previewEvents } from "../../alerts/preview-events.ts";
import { previewWallets } from "../../alerts/preview-wallets.ts";
import { checkAlert } from "../../alerts/read-alert.ts";
import { AlertPreviewBody } from "../../contract/alerts.ts";
import { AlertPreviewAnswer, METRIC_LIMITS } from "../../contract/metric-alerts.ts";
import { pickProject } from "../../control/report-projects.ts";
import { type Route, type RouteRequest, readRoute } from "../../http/route.ts";
import type { Reports } from "../../query/run/ask.ts";
import type { RunOther } from "../../query/run/run-report.ts";
import { createQuerySlots } from "../../query/run/slots.ts";

export interface PreviewNeeds extends Omit<SourceDeps, "ask"> {
  reports: Reports;
  runOther: RunOther;
  /** Age of the oldest event of this node that is not stored yet. */
  findLogLag: () => number | undefined;
}

/**
 * A look back reads a month for each change of a word in an editor: a workspace has one at a time, however many tabs and
 * scripts it has, so that it takes at most one of the workspace's query slots and one share of the thread that serves all.
 */
const TURNS = { running: 1, waiting: 10, waitMs: 30_000 };

/** What an alert would have done. */
export function previewRoutes(needs: PreviewNeeds): Route[] {
  const turns = createQuerySlots(TURNS);
  return [
    readRoute({
      tag: "Alerts",
      access: "alerts:write",
      method: "POST",
      path: "/v0/alerts/preview",
      operationId: "previewAlert",
      summary: "When an alert would have fired",
      description:
        `For editors: what an alert that is not saved would have done in the last ${METRIC_LIMITS.previewDays} days. A ` +
        "metric alert: its number at every evaluation, and when it would have fired. An event alert: the events of each " +
        "day. A user alert: the wallets of each day, as they are now. It changes nothing, so it needs no Idempotency-Key. " +
        "A workspace has one at a time; further ones wait.",
      body: AlertPreviewBody,
      check({ body }) {
        const failures = new Map<string, string>();
        checkAlert(body, undefined, (path, reason) => failures.set(path, reason));
        return failures.size > 0 ? { ok: false, failures } : { ok: true, value: undefined };
      },
      answers: { 200: AlertPreviewAnswer },
      async handle(request) {
        const { db, key, parts, signal } = request;
        const project = await pickProject(db, key, parts.body.project_id, "body.project_id");
        const release = await turns.acquire(key.workspaceId, signal);
        try {
          return { status: 200, body: await lookBack(needs, key.workspaceId, project, request) };
        } finally {
          release();
        }
      },
    }),
  ];
}

type PreviewRequest = Pick<RouteRequest, "nowMs" | "signal" | "charge"> & {
  readonly parts: { readonly body: Static<typeof AlertPreviewBody> };
};

async function lookBack(
  needs: PreviewNeeds,
  workspaceId: string,
  project: Awaited<ReturnType<typeof pickProject>>,
  { parts: { body }, nowMs, signal, charge: spent }: PreviewRequest,
): Promise<Static<typeof AlertPreviewAnswer>> {
  if (body.metric !== undefined) {
    const bots = body.metric.params?.bots;
    const excludeBots = bots === undefined ? project.excludeBots : bots === "exclude";
    const owner = { workspaceId, projects: [{ ...project, excludeBots }] } as const;
    const deps = { ...needs, ask: needs.reports.ask };
    const watermarkMs = nowMs - (needs.findLogLag() ?? 0) * 1000;
    const metric = await previewMetric(deps, owner, getMetric(body.metric), watermarkMs, { signal, spent });
    return { metric, events: null, wallets: null };
  }
  const filters = (body.trigger_filters ?? []) as AlertFilter[];
  const asked = { filters, includeImported: body.include_imported ?? false };
  const owner = { workspaceId, projects: [project] } as const;
  const looking = { nowMs, signal, spent };
  if (body.trigger_type === "user")
    return { metric: null, events: null, wallets: await previewWallets(needs, owner, asked, looking) };
  return { metric: null, events: await previewEvents(needs.runOther, owner, asked, looking), wallets: null };
}
