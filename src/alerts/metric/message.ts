/** What a metric alert tells: the number, its bounds and its window, when it begins to fire and when it stops. */

import { newId } from "../../lib/ids.ts";
import { wallTimeAt } from "../../lib/time-zones.ts";
import type { Message } from "../../webhooks/channels/message.ts";
import type { Alert } from "../alerts-table.ts";
import { firingId, messageId } from "../firing-id.ts";
import type { PageUrl } from "../messages.ts";
import type { Notification } from "./advance.ts";
import type { Judged } from "./judge.ts";
import type { Condition, Metric, Source } from "./metric.ts";
import { getMetric } from "./read-metric.ts";
import { calendarOf, closedWindow, daysOfWindow } from "./windows.ts";

export interface Told {
  readonly metric: Metric;
  readonly judged: Judged;
  readonly notification: Notification;
  readonly window: { readonly fromMs: number; readonly toMs: number };
  readonly skipped: number;
  /** Whose clocks people read: of the project, or of the windows where those are days of UTC. */
  readonly zone: string;
}

export interface ToldFiring {
  readonly id: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly message: Message;
}

export function tellMetric(alert: Alert, told: Told, nowMs: number, pageUrl: PageUrl): ToldFiring {
  const { change, firing } = told.notification;
  const id = change === "firing" ? firing.id : firingId(alert.id, "metric", firing.id, "resolved");
  const { value, lower = null, upper = null } = told.judged;
  const details = {
    change,
    firing_id: firing.id,
    value,
    lower,
    upper,
    window_from: timeOf(told.window.fromMs),
    window_to: timeOf(told.window.toMs),
    firing_since: timeOf(firing.sinceMs),
    skipped: told.skipped,
  };
  const item = { ...details, alert_id: alert.id, name: alert.name, project_id: alert.projectId, metric: alert.metric };
  const [message, type] = [messageId(id), `alert.metric.${change}`];
  const body = { id: message, type, created: Math.floor(nowMs / 1000), data: [item] };
  const link = pageUrl("/app/alerts", { project: alert.projectId, alert: alert.id });
  return {
    id,
    details,
    message: {
      ...{ id: message, type, body },
      thinBody: { ...body, data: [{ ...item, metric: {}, is_thin: true }] },
      title: change === "firing" ? alert.name : `${alert.name}: resolved`,
      lines: linesOf(told),
      ...(link === undefined ? {} : { link }),
    },
  };
}

/** What a test sends: a firing of the last window, without a number. */
export function sampleMetric(alert: Alert, zone: string, nowMs: number, pageUrl: PageUrl): Message {
  const metric = getMetric(alert.metric);
  const window = closedWindow(metric, calendarOf(metric, zone), nowMs);
  const firing = { id: newId("test"), sinceMs: window.toMs, isNotified: true };
  const told = {
    metric,
    judged: { verdict: "met", value: null },
    notification: { change: "firing", firing },
    window,
    skipped: 0,
    zone,
  } as const;
  const { message } = tellMetric(alert, told, nowMs, pageUrl);
  const body = { ...message.body, is_test: true };
  return { ...message, body, thinBody: body };
}

function linesOf({ metric, judged, window, notification, skipped, zone }: Told): Message["lines"] {
  const { lower, upper, value } = judged;
  const bounds = [
    lower === undefined ? [] : [`below ${show(lower)}`],
    upper === undefined ? [] : [`above ${show(upper)}`],
  ];
  return [
    { label: nameOf(metric.source), value: value === null ? "no data" : show(value) },
    { label: describe(metric.condition), value: bounds.flat().join(" or ") },
    { label: "Window", value: `${windowText(metric, zone, window)} (${zone})` },
    ...(notification.change === "resolved"
      ? [{ label: "Fired since", value: `${clockText(zone, notification.firing.sinceMs)} (${zone})` }]
      : []),
    ...(skipped > 0 ? [{ label: "Windows before it that were not evaluated", value: String(skipped) }] : []),
  ].filter((line) => line.value !== "");
}

function nameOf(source: Source): string {
  if (source.kind === "figure") return source.name;
  if (source.kind === "report") return `${source.value} of ${source.name}`;
  if (source.kind === "ingest") return `${source.value} (ingest)`;
  return source.kind === "sql" ? "Number of the query" : "Number of the chart";
}

function describe(condition: Condition): string {
  if (condition.kind === "changed")
    return `Changed by more than ${condition.percent} % against the ${condition.against.replace("_", " ")}`;
  return { above: "Above", below: "Below", unusual: "Unusual", no_data: "No events" }[condition.kind];
}

/** At most four digits after the point. */
function show(value: number): string {
  return String(Math.round(value * 10_000) / 10_000);
}

/** Days by their names; other windows by what clocks show. */
function windowText({ isInDays }: Metric, zone: string, window: Told["window"]): string {
  if (!isInDays) return `${clockText(zone, window.fromMs)} to ${clockText(zone, window.toMs)}`;
  const { date_from: from, date_to: to } = daysOfWindow({ zone }, window);
  return from === to ? from : `${from} to ${to}`;
}

/** `2026-03-10 13:00`. */
function clockText(zone: string, ms: number): string {
  return new Date(wallTimeAt(zone, ms)).toISOString().slice(0, 16).replace("T", " ");
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
