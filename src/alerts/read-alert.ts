/** Reads the body of an alert: what a schema cannot express. */
import type { AlertBody, TriggerType } from "../contract/alerts.ts";
import type { AlertFilter } from "./conditions.ts";
import { readCondition } from "./conditions.ts";
import { checkMetric } from "./metric/read-metric.ts";

type Fail = (path: string, reason: string) => void;

/** `trigger_type` is that of the stored alert where a change names none. Parts may have wrong types. */
export function checkAlert(body: unknown, stored: { trigger_type: TriggerType } | undefined, fail: Fail): void {
  const given = (typeof body === "object" && body !== null ? body : {}) as Partial<AlertBody>;
  const trigger = (given.trigger_type ?? stored?.trigger_type) as TriggerType | undefined;
  if (trigger === "metric") checkMetricPart(given, stored, fail);
  else if (given.metric !== undefined) fail("body.metric", "is for trigger_type metric");
  if (trigger === "event" || trigger === "user") checkFilters(trigger, given.trigger_filters, fail);
}

function checkMetricPart(given: Partial<AlertBody>, stored: object | undefined, fail: Fail): void {
  if (given.metric === undefined && stored === undefined) fail("body.metric", "is required for trigger_type metric");
  if (given.metric !== undefined)
    checkMetric(given.metric, (path, reason) => fail(path === "" ? "body.metric" : `body.metric.${path}`, reason));
  if (Array.isArray(given.trigger_filters) && given.trigger_filters.length > 0)
    fail("body.trigger_filters", "is for trigger_type event and user");
}

function checkFilters(trigger: "event" | "user", filters: unknown, fail: Fail): void {
  if (!Array.isArray(filters)) return;
  for (const [at, filter] of filters.entries())
    if (isFilter(filter)) readCondition(trigger, filter, `body.trigger_filters.${at}`, fail);
}

function isFilter(value: unknown): value is AlertFilter {
  if (typeof value !== "object" || value === null) return false;
  const { field, op, value: text, numericThreshold: number } = value as Record<string, unknown>;
  const isTextOrAbsent = (one: unknown) => one === undefined || typeof one === "string";
  return typeof field === "string" && typeof text === "string" && isTextOrAbsent(op) && isTextOrAbsent(number);
}
