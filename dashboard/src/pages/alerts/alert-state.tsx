import type { Alert } from "../../api/alerts.ts";
import { momentText } from "../../format/dates.ts";

/** How an alert is, in a word for people. */
function stateOf(alert: Alert, nowMs: number): { word: string; tone: "good" | "bad" | "warn" | "off" } {
  if (alert.status === "inactive") return { word: "Off", tone: alert.status_reason === null ? "off" : "bad" };
  if (isMuted(alert, nowMs)) return { word: "Muted", tone: "off" };
  switch (alert.state) {
    case "firing":
      return { word: "Firing", tone: "bad" };
    case "pending":
      return { word: "Pending", tone: "warn" };
    case "learning":
      return { word: "Learning", tone: "off" };
    case "no_data":
      return { word: "No data", tone: "warn" };
    case "error":
      return { word: "Cannot be evaluated", tone: "bad" };
    default:
      return { word: alert.trigger_type === "metric" ? "OK" : "On", tone: "good" };
  }
}

export function isMuted({ muted_until }: Alert, nowMs: number): boolean {
  return muted_until !== null && Date.parse(muted_until) > nowMs;
}

export function AlertState({ alert }: { alert: Alert }) {
  const nowMs = Date.now();
  const { word, tone } = stateOf(alert, nowMs);
  return (
    <>
      <span className={`alert-state alert-${tone}`}>{word}</span>
      {isMuted(alert, nowMs) && alert.status === "active" ? (
        <small>until {momentText(Date.parse(alert.muted_until ?? ""))}</small>
      ) : null}
      {alert.status_reason === null ? null : <small>{alert.status_reason}</small>}
    </>
  );
}
