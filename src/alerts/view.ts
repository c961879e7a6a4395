/** Alerts and firings as clients see them. Neither contains a secret. */
import type { AlertView, FiringView } from "../contract/alerts.ts";
import type { Alert } from "./alerts-table.ts";
import type { StoredFiring } from "./firings.ts";
import { viewEvaluation } from "./metric/states.ts";
import { showTarget } from "./recipients.ts";

export function viewAlert(alert: Alert): AlertView {
  return {
    id: alert.id,
    name: alert.name,
    project_id: alert.projectId,
    trigger_type: alert.trigger,
    trigger_filters: [...alert.filters],
    recipient: alert.recipients.map(({ type, value }) => ({ type, value: [...value] })),
    slack_property_keys: [...alert.propertyKeys],
    include_imported: alert.includeImported,
    metric: alert.metric,
    has_secret: alert.sealedSecret !== null,
    status: alert.status,
    status_reason: alert.statusReason,
    state: alert.state,
    evaluation: viewEvaluation(alert),
    muted_until: iso(alert.mutedUntilMs),
    last_fired_at: iso(alert.lastFiredAtMs),
    created_by: alert.createdBy,
    created_at: new Date(alert.createdAtMs).toISOString(),
    updated_at: iso(alert.updatedAtMs),
  };
}

export function viewFiring(firing: StoredFiring): FiringView {
  return {
    id: firing.id,
    alert_id: firing.alertId,
    kind: firing.kind,
    state: firing.state,
    count: firing.count,
    details: firing.details,
    created_at: new Date(firing.createdAtMs).toISOString(),
    deliveries: firing.deliveries.map((delivery) => ({
      id: delivery.id,
      channel: delivery.channel === "alert_webhook" ? "webhook" : delivery.channel,
      target: showTarget(delivery),
      state: delivery.state,
      attempts: delivery.attempts,
      settled_at: iso(delivery.settledAtMs),
      status: delivery.status,
      reason: delivery.reason,
    })),
  };
}

function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
