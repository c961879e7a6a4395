/**
 * Whether two definitions ask the same, however they are written. Pages send all fields with every change, in their own
 * order, with defaults and with the usual names of operators: a new name of an alert must not begin it again, because
 * that leaves out what is received and not looked at yet, and tells a firing that lasts a second time.
 */
import type { AlertFields } from "./alerts-table.ts";
import { readCondition } from "./conditions.ts";
import { readMetric } from "./metric/read-metric.ts";

type Question = Pick<AlertFields, "trigger" | "filters" | "metric" | "includeImported">;

export function asksSame(one: Question, other: Question): boolean {
  return textOf(one) === textOf(other);
}

/** What cannot be read, because another version has stored it, is compared as it is. */
function textOf({ trigger, filters, metric, includeImported }: Question): string {
  const conditions =
    trigger === "metric" ? [] : filters.map((one) => readCondition(trigger, one, "", () => undefined) ?? one);
  const read = metric === null ? undefined : readMetric(metric, "metric");
  return JSON.stringify([trigger, conditions, read?.ok === true ? read.value : metric, includeImported], inOrder);
}

/** Objects with the same keys have the same text. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
