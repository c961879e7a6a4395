/** Alerts in words: what they look for. */
import { findOperator, USER_NUMBER_FIELDS } from "../../../src/contract/alert-fields.ts";
import type { AlertView } from "../../../src/contract/alerts.ts";
import { seenText } from "./names.ts";
import { full } from "./numbers.ts";

export const OPERATOR_WORDS: Readonly<Record<string, string>> = {
  equals: "is",
  notEquals: "is not",
  contains: "contains",
  startsWith: "begins with",
  endsWith: "ends with",
  gt: "is over",
  gte: "is at least",
  lt: "is under",
  lte: "is at most",
};

const FIGURE_WORDS: Readonly<Record<string, string>> = {
  visitors: "Visitors",
  sessions: "Sessions",
  pageviews: "Page views",
  wallets: "Wallets",
  transactions: "Transactions",
  volume: "Volume",
  revenue: "Revenue",
  points: "Points",
  events: "Events",
  bounce_rate: "Bounce rate",
  received: "Received events",
  stored: "Stored events",
  parked: "Parked events",
  refused: "Refused events",
  parked_rate: "Share of parked events",
  refused_rate: "Share of refused events",
};

export const figureText = (name: string) => FIGURE_WORDS[name] ?? name.replaceAll("_", " ");
export const fieldText = (name: string) => {
  const words = name.replaceAll("_", " ").replace(/^utm\b/, "UTM");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export const isNumberField = (trigger: string, field: string) =>
  trigger === "user" && (USER_NUMBER_FIELDS as readonly string[]).includes(field);

/** By its usual name: conditions that were made over the API may have another spelling, or none. */
export function operatorOf(trigger: string, { field, op }: { field: string; op?: string }): string {
  if (op === undefined) return isNumberField(trigger, field) ? "gte" : "equals";
  return findOperator(op) ?? op;
}

type Described = Pick<AlertView, "trigger_type" | "trigger_filters" | "metric">;

/** What it looks for, in one line. */
export function alertText({ trigger_type, trigger_filters, metric }: Described): string {
  if (trigger_type === "metric") return metricText(metric ?? {});
  const what = trigger_type === "event" ? "Every event" : "Every wallet";
  const where = trigger_filters.map((filter) => {
    const op = operatorOf(trigger_type, filter);
    const value = filter.numericThreshold ?? filter.value;
    return `${fieldText(filter.field).toLowerCase()} ${OPERATOR_WORDS[op] ?? op} ${value === "" ? "empty" : seenText(value)}`;
  });
  return where.length === 0 ? what : `${what} whose ${where.join(" and ")}`;
}

interface Definition {
  of?: string;
  report?: string;
  value?: string;
  window?: { value: number; unit: string };
  condition?: { kind: string; threshold?: number; percent?: number; against?: string; direction?: string };
}

export function metricText(metric: Readonly<Record<string, unknown>>): string {
  const { of, report, value = "", window, condition } = metric as Definition;
  const source = of === "sql" ? "A statement of SQL" : of === "chart" ? "A chart" : figureText(value);
  const where = report === undefined || report === "kpis" ? "" : ` of ${report}`;
  const length = window === undefined ? "" : ` in ${durationText(window)}`;
  return `${source}${where}${length}: ${conditionText(condition)}`;
}

function durationText({ value, unit }: { value: number; unit: string }): string {
  return value === 1 ? `one ${unit.replace(/s$/, "")}` : `${value} ${unit}`;
}

const CHANGES: Readonly<Record<string, string>> = { any: "changed by", up: "rose by", down: "fell by" };
const UNUSUAL: Readonly<Record<string, string>> = { any: "unusual", up: "unusually high", down: "unusually low" };

function conditionText(condition: Definition["condition"]): string {
  const { kind = "", threshold = 0, percent = 0, against, direction = "any" } = condition ?? {};
  const other = against === "week_before" ? "the week before" : "the period before";
  if (kind === "above" || kind === "below") return `${kind} ${full(threshold, "number")}`;
  if (kind === "changed")
    return `${CHANGES[direction] ?? CHANGES.any} more than ${full(percent, "number")} % against ${other}`;
  if (kind === "unusual") return `${UNUSUAL[direction] ?? UNUSUAL.any} for the time of the week`;
  return "no data";
}
