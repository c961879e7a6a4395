// The independent reading of steps, as funnels and paths have them: which events a step means.
import { codesOf, type OracleEvent, type OracleFilter, propertyNumber, propertyText, textOf } from "./oracle.ts";

export interface OracleStep {
  type: string;
  event: string;
  name?: string;
  resolved_event?: string;
  status_type?: string;
  status_value?: string;
  filters?: OracleFilter[];
  /** Older conditions, by the field. */
  [field: string]: unknown;
}

const KNOWN = new Set(["type", "event", "name", "resolved_event", "status_type", "status_value", "filters"]);
const COLUMNS = new Set(
  "origin device browser os location referrer ref utm_source utm_medium utm_campaign utm_content utm_term builder_codes rdns provider_name chain_id".split(
    " ",
  ),
);
/** Before the key of a property, where a column may have the same name. */
const PREFIX = "properties.";
const TRANSACTIONS = ["started", "broadcasted", "confirmed", "reverted", "rejected"];
const SIGNATURES = ["requested", "rejected", "confirmed"];

export function matchesStep(step: OracleStep, event: OracleEvent): boolean {
  const filters = filtersOf(step);
  if (!filters.every((filter) => matchesFilter(filter, event))) return false;
  const wanted = step.resolved_event || step.event;
  const asksStatus = filters.some(({ field }) => field === "status" || field === `${PREFIX}status`);
  switch (step.type) {
    case "track":
    case "decoded_log":
      return event.type === step.type && event.event === wanted;
    case "event":
      if (step.event.startsWith("/") || step.event === "__ALL_PAGE_VIEWS__")
        return matchesBuiltIn("page", wanted, event);
      return matchesBuiltIn(step.event, step.resolved_event ?? "", event, asksStatus);
    default:
      return matchesBuiltIn(step.type, wanted, event, asksStatus);
  }
}

function matchesBuiltIn(type: string, wanted: string, event: OracleEvent, asksStatus = false): boolean {
  if (event.type !== type) return false;
  const status = propertyText(event, "status");
  const isAny = wanted === "" || wanted === type;
  if (type === "page") return isAny || wanted === "__ALL_PAGE_VIEWS__" || event.pathname === wanted;
  if (type === "transaction") {
    if (isAny) return asksStatus || !["started", "confirmed", "reverted", "rejected"].includes(status);
    return TRANSACTIONS.includes(wanted)
      ? status === wanted
      : propertyText(event, "function_name") === wanted &&
          (asksStatus || !["started", "confirmed", "reverted", "rejected"].includes(status));
  }
  if (type === "signature") {
    if (isAny) return asksStatus || !["requested", "rejected"].includes(status);
    if (SIGNATURES.includes(wanted)) return status === wanted;
  }
  if (!isAny) throw new Error(`no ${type} is ${wanted}`);
  return true;
}

function filtersOf(step: OracleStep): OracleFilter[] {
  const keyed = Object.entries(step)
    .filter(([key]) => !KNOWN.has(key))
    .map(([field, condition]) => ({ ...(condition as Omit<OracleFilter, "field">), field }));
  const ofStatus = step.status_value
    ? [{ field: step.status_type || "status", op: "eq", value: step.status_value }]
    : [];
  return [...(step.filters ?? []), ...keyed, ...ofStatus];
}

/** A condition on a single event: its columns, or its properties. */
export function matchesFilter(filter: OracleFilter, event: OracleEvent): boolean {
  const { field, op, value } = filter;
  if (field.startsWith(PREFIX)) return matchesProperty(filter, field.slice(PREFIX.length), event);
  const isMoney = field === "volume" || field === "revenue" || field === "points";
  if (isMoney || ["gt", "gte", "lt", "lte"].includes(op)) {
    const stored = isMoney ? event[field] : propertyNumber(event, field);
    const isCarried = !isMoney || stored !== 0 || !["gt", "gte", "lt", "lte"].includes(op);
    return stored !== undefined && isCarried && comparesNumber(op, stored, value);
  }
  if (field === "builder_codes" && op !== "isEmpty" && op !== "notEmpty") {
    const meets = (code: string) => matchesText(filter, code);
    return op === "neq" || op === "nin" ? codesOf(event).every(meets) : codesOf(event).some(meets);
  }
  return matchesText(filter, textOfField(event, field));
}

/** Of a property, also where a column has the same name. */
function matchesProperty(filter: OracleFilter, key: string, event: OracleEvent): boolean {
  if (!["gt", "gte", "lt", "lte"].includes(filter.op)) return matchesText(filter, propertyText(event, key));
  const number = propertyNumber(event, key);
  return number !== undefined && comparesNumber(filter.op, number, filter.value);
}

function matchesText({ field, op, value }: OracleFilter, stored: string): boolean {
  const shown = (one: unknown) => (field === "referrer" && one === "Direct" ? "" : String(one));
  const list = () => (Array.isArray(value) ? value : String(value).split("|")).map(shown);
  const [text, part] = [stored.toLowerCase(), String(value).toLowerCase()];
  switch (op) {
    case "eq":
      return stored === shown(value);
    case "neq":
      return stored !== shown(value);
    case "in":
      return list().includes(stored);
    case "nin":
      return !list().includes(stored);
    case "contains":
      return text.includes(part);
    case "startsWith":
      return text.startsWith(part);
    case "endsWith":
      return text.endsWith(part);
    case "isEmpty":
      return stored === "";
    case "notEmpty":
      return stored !== "";
    default:
      throw new Error(`no operator ${op}`);
  }
}

function comparesNumber(op: string, stored: number, value: unknown): boolean {
  const all = (Array.isArray(value) ? value : String(value).split("|")).map(Number);
  const [first = Number.NaN] = all;
  switch (op) {
    case "gt":
      return stored > first;
    case "gte":
      return stored >= first;
    case "lt":
      return stored < first;
    case "lte":
      return stored <= first;
    case "eq":
      return stored === first;
    case "neq":
      return stored !== first;
    case "in":
      return all.includes(stored);
    case "nin":
      return !all.includes(stored);
    default:
      throw new Error(`no operator ${op} on numbers`);
  }
}

function textOfField(event: OracleEvent, field: string): string {
  if (COLUMNS.has(field)) return textOf(event, field);
  if (field === "direct") return String(event.referrer === "");
  if (field === "page_path") return event.pathname;
  if (field === "version") return event.version ?? "0";
  if (field === "locale" || field === "timezone") return event.context?.[field] ?? "";
  return propertyText(event, field);
}
