/** An alert while it is edited: what its fields hold, and what is saved of them. */
import { NUMBER_OPERATORS, TEXT_OPERATORS } from "../../../../src/contract/alert-fields.ts";
import type { RecipientType, TriggerType } from "../../../../src/contract/alerts.ts";
import type { Alert, AlertDraft, AlertFilter } from "../../api/alerts.ts";
import { isNumberField, operatorOf } from "../../format/alert-words.ts";
import { newKey, newTarget, type Target } from "../../ui/telling/targets.ts";

export interface FilterDraft extends AlertFilter {
  key: number;
  /** It was saved: without a value it compares with the empty text, and is no row that nobody has filled in yet. */
  isSaved?: boolean;
}

export interface Draft {
  name: string;
  trigger: TriggerType;
  filters: readonly FilterDraft[];
  metric: MetricDraft;
  targets: readonly Target<RecipientType>[];
  /** Undefined: as it was. */
  secret: string | undefined;
  propertyKeys: string;
  includeImported: boolean;
}

export interface MetricDraft {
  of: "report" | "ingest" | "sql";
  value: string;
  query: string;
  segment: string;
  window: { value: number; unit: string };
  kind: "above" | "below" | "changed" | "unusual" | "no_data";
  threshold: string;
  percent: string;
  against: "period_before" | "week_before";
  direction: "any" | "up" | "down";
  pending: number;
  coolDown: number;
  delay: number;
  /** Made over the API in a way that these fields do not have: it is kept as it is. */
  kept: Readonly<Record<string, unknown>> | undefined;
}

const NEW_METRIC: MetricDraft = {
  of: "report",
  value: "visitors",
  query: "",
  segment: "",
  window: { value: 1, unit: "hours" },
  kind: "below",
  threshold: "1",
  percent: "50",
  against: "week_before",
  direction: "any",
  pending: 1,
  coolDown: 0,
  delay: 2,
  kept: undefined,
};

export const operatorsOf = (trigger: TriggerType, field: string): readonly string[] =>
  isNumberField(trigger, field) ? NUMBER_OPERATORS : TEXT_OPERATORS;

export function draftOf(alert: Alert | undefined): Draft {
  if (alert === undefined) {
    const empty = { name: "", propertyKeys: "", includeImported: false, secret: undefined, targets: [] };
    const filters = [{ key: newKey(), field: "event", op: "equals", value: "" }];
    return { ...empty, trigger: "event", filters, metric: NEW_METRIC };
  }
  const trigger = alert.trigger_type as TriggerType;
  return {
    name: alert.name,
    trigger,
    filters: alert.trigger_filters.map((filter) => ({
      key: newKey(),
      field: filter.field,
      op: operatorOf(trigger, filter),
      value: filter.numericThreshold ?? filter.value,
      isSaved: true,
    })),
    metric: alert.metric === null ? NEW_METRIC : metricDraftOf(alert.metric),
    targets: alert.recipient.flatMap(({ type, value }) => value.map((one) => newTarget(type as RecipientType, one))),
    secret: undefined,
    propertyKeys: alert.slack_property_keys.join(", "),
    includeImported: alert.include_imported,
  };
}

/** The fields of a definition that have a place on the page. */
const KNOWN_FIELDS = ["of", "report", "params", "value", "query", "window", "condition"];
const SETTLED = ["pending", "cool_down_minutes", "delay_minutes"];

function metricDraftOf(metric: Readonly<Record<string, unknown>>): MetricDraft {
  const { of, report, value, query, window, params, condition, pending, cool_down_minutes, delay_minutes } = metric;
  const { kind, threshold, percent, against, direction } = condition as Record<string, unknown>;
  const { segment, ...otherParams } = (params ?? {}) as Record<string, unknown>;
  const isForeign =
    !["report", "ingest", "sql"].includes(String(of)) ||
    (of === "report" && report !== "kpis") ||
    Object.keys(otherParams).length > 0 ||
    Object.keys(metric).some((name) => ![...KNOWN_FIELDS, ...SETTLED].includes(name)) ||
    ["score", "min_difference"].some((name) => (condition as Record<string, unknown>)[name] !== undefined);
  return {
    ...NEW_METRIC,
    of: of as MetricDraft["of"],
    value: typeof value === "string" ? value : NEW_METRIC.value,
    query: typeof query === "string" ? query : "",
    segment: typeof segment === "string" ? segment : "",
    window: window as MetricDraft["window"],
    kind: kind as MetricDraft["kind"],
    threshold: typeof threshold === "number" ? String(threshold) : NEW_METRIC.threshold,
    percent: typeof percent === "number" ? String(percent) : NEW_METRIC.percent,
    against: (against ?? NEW_METRIC.against) as MetricDraft["against"],
    direction: (direction ?? "any") as MetricDraft["direction"],
    pending: Number(pending ?? 1),
    coolDown: Number(cool_down_minutes ?? 0),
    delay: Number(delay_minutes ?? 2),
    kept: isForeign ? metric : undefined,
  };
}

export function metricOf(draft: MetricDraft): Readonly<Record<string, unknown>> {
  if (draft.kept !== undefined) return draft.kept;
  const { of, value, query, segment, window, pending, coolDown, delay } = draft;
  const source =
    of === "sql"
      ? { of, query }
      : of === "ingest"
        ? { of, value }
        : { of, report: "kpis", value, ...(segment === "" ? {} : { params: { segment } }) };
  const rest = { pending, cool_down_minutes: coolDown, delay_minutes: delay };
  return { ...source, window, condition: conditionOf(draft), ...rest };
}

function conditionOf({ kind, threshold, percent, against, direction }: MetricDraft) {
  if (kind === "above" || kind === "below") return { kind, threshold: Number(threshold) };
  if (kind === "changed") return { kind, percent: Number(percent), against, direction };
  return kind === "unusual" ? { kind, direction } : { kind };
}

/** A new condition without a value is not there yet. */
export function filtersOf({ filters }: Draft): AlertFilter[] {
  return filters
    .filter(({ value, isSaved }) => isSaved === true || value.trim() !== "")
    .map(({ field, op, value }) => ({ field, op, value }));
}

export function savedOf(draft: Draft): AlertDraft {
  const isMetric = draft.trigger === "metric";
  const types = [...new Set(draft.targets.map(({ type }) => type))];
  const recipient = types.map((type) => ({
    type,
    value: draft.targets.filter((one) => one.type === type && one.value.trim() !== "").map(({ value }) => value.trim()),
  }));
  const keys = draft.propertyKeys.split(",").map((key) => key.trim());
  return {
    name: draft.name.trim(),
    trigger_type: draft.trigger,
    trigger_filters: isMetric ? [] : filtersOf(draft),
    recipient: recipient.filter(({ value }) => value.length > 0),
    ...(draft.secret === undefined ? {} : { secret: draft.secret === "" ? null : draft.secret }),
    slack_property_keys: keys.filter((key) => key !== ""),
    include_imported: draft.includeImported,
    ...(isMetric ? { metric: metricOf(draft.metric) } : {}),
  };
}
