import { REPORT_LIMITS } from "../contract/analytics.ts";
import { FIELDS, type FieldName, findOperator, OPERATOR_NAMES, type Operator } from "./filter-terms.ts";

/** A validated condition: text fields hold texts, numeric ones numbers. `isEmpty` and `notEmpty` have no values. */
export interface Condition {
  readonly field: FieldName;
  readonly op: Operator;
  readonly values: readonly (string | number)[];
}

/** Path, such as `query.filters.0.op` -> problem. */
export type Failures = Map<string, string>;

const PATH = "query.filters";
/** Each character can be read in one way only: `\d+\.?\d*` tried every split of 4,096 digits, 62 ms a value. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
/** A double has 17 digits that count. */
const NUMBER_CHARS = 64;
const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i;

/** Parses the query parameter. Adds all problems to `failures`, so that a client sees them at once. */
export function readFilters(text: string | undefined, failures: Failures): Condition[] {
  if (text === undefined || text === "") return [];
  const list = findList(text);
  if (list === undefined) {
    failures.set(PATH, "must be a JSON array of conditions");
    return [];
  }
  if (list.length > REPORT_LIMITS.filters) {
    failures.set(PATH, `must have at most ${REPORT_LIMITS.filters} conditions`);
    return [];
  }
  return list.flatMap((item, index) => readCondition(item, `${PATH}.${index}`, failures) ?? []);
}

function findList(text: string): unknown[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}

function readCondition(item: unknown, path: string, failures: Failures): Condition | undefined {
  if (typeof item !== "object" || item === null || Array.isArray(item)) {
    failures.set(path, "must be an object with field, op and value");
    return undefined;
  }
  const { field, op, value } = item as Record<string, unknown>;
  const known = typeof field === "string" && Object.hasOwn(FIELDS, field) ? (field as FieldName) : undefined;
  if (known === undefined) failures.set(`${path}.field`, `must be one of ${Object.keys(FIELDS).join(", ")}`);
  const operator = typeof op === "string" ? findOperator(op) : undefined;
  if (operator === undefined) failures.set(`${path}.op`, `must be one of ${OPERATOR_NAMES.join(", ")}`);
  if (known === undefined || operator === undefined) {
    if (value === undefined && operator?.takes !== "nothing") failures.set(`${path}.value`, missingValue(operator));
    return undefined;
  }
  const { kind } = FIELDS[known];
  if (!operator.kinds.includes(kind)) {
    failures.set(`${path}.op`, `does not work on ${known}, which holds ${kind === "text" ? "text" : "numbers"}`);
    return undefined;
  }
  const problem = operator.takes === "nothing" ? undefined : checkValue(value, operator.takes, kind);
  if (problem !== undefined) {
    failures.set(`${path}.value`, problem);
    return undefined;
  }
  const values =
    operator.takes === "nothing" ? [] : toValues(value, operator.takes).map((one) => toOperand(known, operator, one));
  return { field: known, op: operator, values };
}

/** Without a valid operator it is unknown whether a value is needed. */
function missingValue(operator: Operator | undefined): string {
  return operator === undefined ? "is required, except with isEmpty and notEmpty" : "is required";
}

type Scalar = string | number | boolean;

function checkValue(value: unknown, takes: "one" | "many", kind: "text" | "number"): string | undefined {
  const isList = takes === "many" && Array.isArray(value);
  if (value === undefined) return "is required";
  if (!isList && !isScalar(value))
    return `must be a string, number or boolean${takes === "many" ? ", or an array of them" : ""}`;
  const all = toValues(value, takes);
  if (!all.every(isScalar)) return "must hold strings, numbers or booleans only";
  if (all.length > REPORT_LIMITS.filterAlternatives)
    return `must have at most ${REPORT_LIMITS.filterAlternatives} alternatives`;
  if (all.some((one) => String(one).length > REPORT_LIMITS.filterValueChars))
    return `must have at most ${REPORT_LIMITS.filterValueChars} characters`;
  if (kind === "number" && !all.every(isNumeric)) return "must be a number";
  if (all.some((one) => typeof one === "string" && !one.isWellFormed())) return "must be well-formed text";
  return undefined;
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function isNumeric(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "string" || value.length > NUMBER_CHARS) return false;
  return NUMBER.test(value.trim()) && Number.isFinite(Number(value));
}

function toValues(value: unknown, takes: "one" | "many"): unknown[] {
  if (takes === "one") return [value];
  if (Array.isArray(value)) return value;
  return typeof value === "string" ? value.split("|") : [value];
}

/**
 * The value that the column is compared with. Users filter by shown values: an empty referrer is shown as Direct, and
 * addresses may be in any case.
 */
function toOperand(field: FieldName, operator: Operator, value: unknown): string | number {
  if (FIELDS[field].kind === "number") return Number(value);
  const text = String(value);
  if (field === "referrer" && operator.isExact && text === "Direct") return "";
  return field === "address" ? toAddress(text) : text;
}

/** An address as it is stored. */
export function toAddress(text: string): string {
  return EVM_ADDRESS.test(text) ? text.toLowerCase() : text;
}

export interface Clause {
  readonly sql: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * The only generated SQL: conditions on the columns of `columnOf`, joined by AND. Every value is bound; only names from
 * this module's tables become SQL text. `prefix` separates the parameters of two clauses.
 */
export function buildClause(
  conditions: readonly Condition[],
  columnOf: (field: FieldName) => string,
  prefix: string,
): Clause {
  const params: Record<string, unknown> = {};
  const parts = conditions.map(({ field, op, values }, index) => {
    const type = FIELDS[field].kind === "text" ? "String" : "Float64";
    const name = `${prefix}${index}`;
    if (op.takes !== "nothing") params[name] = op.takes === "many" ? values : values[0];
    return op.sql(columnOf(field), op.takes === "many" ? `{${name}:Array(${type})}` : `{${name}:${type}}`);
  });
  return { sql: parts.length === 0 ? "1 = 1" : parts.map((part) => `(${part})`).join(" AND "), params };
}
