/** Steps of funnels and paths: which events they mean, and as SQL. */
import { BUILT_IN_KINDS, findStatuses, NAMED_KINDS } from "../../contract/event-kinds.ts";
import { STEP_LIMITS } from "../../contract/steps.ts";
import { isSignature, isTransaction } from "../../materialize/columns.ts";
import { type Clause, type Condition, type Failures, joinClauses, readConditionList } from "./condition.ts";
import { buildEventClause, EVENT_TERMS, findKey } from "./event-terms.ts";
import { findJson } from "./json.ts";

/** The events of a step. All given parts must match. */
export interface Step {
  /** The client's own name of the step. */
  readonly name: string;
  readonly type: string;
  readonly event?: string;
  readonly path?: string;
  readonly status?: string;
  readonly functionName?: string;
  readonly conditions: readonly Condition[];
}

const TYPES = ["event", ...NAMED_KINDS, ...BUILT_IN_KINDS];
const ALL_PAGES = "__ALL_PAGE_VIEWS__";
/** A client reports one transaction under several statuses. Where none is given, it counts as in other reports. */
const MADE: Readonly<Record<string, string>> = { signature: isSignature("e"), transaction: isTransaction("e") };
const KNOWN_KEYS = ["type", "event", "name", "filters", "resolved_event", "status_type", "status_value"];

/** The parameter of a list of steps. */
export function readSteps(text: unknown, path: string, failures: Failures): Step[] {
  const list = typeof text === "string" ? findJson(text) : undefined;
  const { minimum, maximum } = STEP_LIMITS.steps;
  if (!Array.isArray(list) || list.length < minimum || list.length > maximum) {
    failures.set(path, `must be a JSON array of ${minimum} to ${maximum} steps`);
    return [];
  }
  const steps = list.flatMap((item, index) => readStep(item, `${path}.${index}`, failures, index) ?? []);
  steps.forEach(({ name }, index) => {
    if (steps.findIndex((step) => step.name === name) < index)
      failures.set(`${path}.${index}.name`, "must be the name of one step only");
  });
  return steps;
}

/** The parameter of a single step. */
export function readOneStep(text: unknown, path: string, failures: Failures): Step | undefined {
  const item = typeof text === "string" ? findJson(text) : undefined;
  if (item === undefined) failures.set(path, "must be a JSON object");
  return item === undefined ? undefined : readStep(item, path, failures, 0);
}

function readStep(item: unknown, path: string, failures: Failures, index: number): Step | undefined {
  if (typeof item !== "object" || item === null || Array.isArray(item)) {
    failures.set(path, "must be an object with type and event");
    return undefined;
  }
  const given = item as Record<string, unknown>;
  const conditions = readStepConditions(given, path, failures);
  const type = readText(given, "type", path, failures);
  const event = readText(given, "event", path, failures);
  const resolved = readText(given, "resolved_event", path, failures);
  const name = readText(given, "name", path, failures) || `${event || type}::${index}`;
  if (!TYPES.includes(type)) {
    failures.set(`${path}.type`, `must be one of ${TYPES.join(", ")}`);
    return undefined;
  }
  const found = findEvents(type, event, resolved);
  if (typeof found === "string") {
    failures.set(`${path}.event`, found);
    return undefined;
  }
  return { name, conditions, ...found };
}

function readText(given: Record<string, unknown>, key: string, path: string, failures: Failures): string {
  const value = given[key] ?? "";
  if (typeof value === "string" && value.length <= STEP_LIMITS.nameChars && value.isWellFormed()) return value;
  failures.set(`${path}.${key}`, `must be a text of at most ${STEP_LIMITS.nameChars} characters`);
  return "";
}

/** Conditions are a list, and in older requests further keys of the step: `"rdns": {"op": "eq", "value": "x"}`. */
function readStepConditions(given: Record<string, unknown>, path: string, failures: Failures): Condition[] {
  const { filters = [], status_type, status_value } = given;
  const listed = readConditionList(filters, `${path}.filters`, failures, EVENT_TERMS);
  const keyed = Object.entries(given)
    .filter(([key]) => !KNOWN_KEYS.includes(key))
    .flatMap(([key, value]) => readKeyed(key, value, path, failures));
  if (status_value === undefined || status_value === "") return [...listed, ...keyed];
  const field = status_type === undefined || status_type === "" ? "status" : status_type;
  const ofStatus = readAt({ field, op: "eq", value: status_value }, `${path}.status_value`, failures);
  return [...listed, ...keyed, ...ofStatus];
}

function readKeyed(key: string, value: unknown, path: string, failures: Failures): Condition[] {
  if (typeof value === "object" && value !== null && "op" in value)
    return readAt({ ...value, field: key }, `${path}.${key}`, failures);
  failures.set(`${path}.${key}`, "is not a known field, and no condition with op and value");
  return [];
}

/** One condition whose failures are reported under another path than that of a list. */
function readAt(item: unknown, path: string, failures: Failures): Condition[] {
  const own: Failures = new Map();
  const read = readConditionList([item], path, own, EVENT_TERMS);
  for (const [at, problem] of own) failures.set(at.replace(`${path}.0`, path), problem);
  return read;
}

type Events = Pick<Step, "type" | "event" | "path" | "status" | "functionName">;

/** The events of a step, or the problem of its `event`. */
function findEvents(type: string, event: string, resolved: string): Events | string {
  const wanted = resolved || event;
  if (NAMED_KINDS.includes(type))
    return wanted === "" ? `must be the name of a ${type} event` : { type, event: wanted };
  if (type !== "event") return ofBuiltIn(type, wanted);
  if (BUILT_IN_KINDS.includes(event)) return ofBuiltIn(event, resolved);
  if (event.startsWith("/") || event === ALL_PAGES) return ofBuiltIn("page", wanted);
  return `must be one of ${BUILT_IN_KINDS.join(", ")}, or a page path`;
}

function ofBuiltIn(type: string, wanted: string): Events | string {
  if (wanted === "" || wanted === type) return { type };
  if (type === "page") return wanted === ALL_PAGES ? { type } : { type, path: wanted };
  if (findStatuses(type)?.includes(wanted)) return { type, status: wanted };
  if (type === "transaction") return { type, functionName: wanted };
  return `must be empty or one of ${[type, ...(findStatuses(type) ?? [])].join(", ")}`;
}

/** 1 for an event `e` of the step, else 0. `prefix` separates its parameters from those of other steps. */
export function stepMark(step: Step, prefix: string): Clause {
  return markOf(stepClauses(step, prefix));
}

/**
 * 1 for an event `e` that meets all clauses, else 0. DuckDB evaluates both sides of AND for every row, and only the
 * chosen branch of `if`: so it parses the properties of transactions alone, and not of 1.6 million page views.
 */
export function markOf(clauses: readonly Clause[]): Clause {
  return {
    sql: clauses.reduceRight((mark, { sql }) => `if(${sql}, ${mark}, 0)`, "1"),
    params: joinClauses(clauses).params,
  };
}

/** The conditions on an event `e` of the step, cheap ones first. */
export function stepClauses(step: Omit<Step, "name">, prefix: string): Clause[] {
  const equals = (column: string, part: "type" | "event" | "path" | "status" | "functionName"): Clause[] => {
    const value = step[part];
    const name = `${prefix}_${part}`;
    return value === undefined ? [] : [{ sql: `${column} = {${name}:String}`, params: { [name]: value } }];
  };
  return [
    ...equals("e.type", "type"),
    ...equals("e.event", "event"),
    ...equals("e.pathname", "path"),
    ...equals("e.status", "status"),
    ...equals("JSONExtractString(e.properties, 'function_name')", "functionName"),
    ...madeClause(step),
    ...(step.conditions.length === 0 ? [] : [buildEventClause(step.conditions, `${prefix}_`, columnsOf(step))]),
  ];
}

/** Of these types the engines store the status. Other events may have a property of that name. */
function columnsOf({ type }: Pick<Step, "type">): ReadonlyMap<string, string> {
  return new Map(findStatuses(type) === undefined ? [] : [["status", "e.status"]]);
}

function madeClause({ type, status, conditions }: Omit<Step, "name">): Clause[] {
  const made = MADE[type];
  const namesStatus = status !== undefined || conditions.some(({ field }) => findKey(field) === "status");
  return made === undefined || namesStatus ? [] : [{ sql: `${made} = 1`, params: {} }];
}
