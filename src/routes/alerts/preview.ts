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
import { type Route, readRoute } from "../../http/route.ts";
import type { Reports } from "../../query/run/ask.ts";
import type { RunOther } from "../../query/run/run-report.ts";

export interface PreviewNeeds extends Omit<SourceDeps, "ask"> {
  reports: Reports;
  runOther: RunOther;
  /** Age of the oldest event of this node that is not stored yet. */
  findLogLag: () => number | undefined;
}

/** What an alert would have done. */
export function previewRoutes(needs: PreviewNeeds): Route[] {
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
        "day. A user alert: the wallets of each day, as they are now. It changes nothing, so it needs no Idempotency-Key.",
      body: AlertPreviewBody,
      check({ body }) {
        const failures = new Map<string, string>();
        checkAlert(body, undefined, (path, reason) => failures.set(path, reason));
        return failures.size > 0 ? { ok: false, failures } : { ok: true, value: undefined };
      },
      answers: { 200: AlertPreviewAnswer },
      async handle({ db, key, parts: { body }, nowMs, signal, charge: spent }) {
        const project = await pickProject(db, key, body.project_id, "body.project_id");
        if (body.metric === undefined) {
          const filters = (body.trigger_filters ?? []) as AlertFilter[];
          const asked = { filters, includeImported: body.include_imported ?? false };
          const owner = { workspaceId: key.workspaceId, projects: [project] } as const;
          const looking = { nowMs, signal, spent };
          if (body.trigger_type === "user") {
            const wallets = await previewWallets(needs, owner, asked, looking);
            return { status: 200, body: { metric: null, events: null, wallets } };
          }
          const events = await previewEvents(needs.runOther, owner, asked, looking);
          return { status: 200, body: { metric: null, events, wallets: null } };
        }
        const bots = body.metric.params?.bots;
        const excludeBots = bots === undefined ? project.excludeBots : bots === "exclude";
        const owner = { workspaceId: key.workspaceId, projects: [{ ...project, excludeBots }] } as const;
        const deps = { ...needs, ask: needs.reports.ask };
        const watermarkMs = nowMs - (needs.findLogLag() ?? 0) * 1000;
        const metric = await previewMetric(deps, owner, getMetric(body.metric), watermarkMs, { signal, spent });
        return { status: 200, body: { metric, events: null, wallets: null } };
      },
    }),
  ];
}
