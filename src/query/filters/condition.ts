/** One condition of a list: `{field, op, value}`, validated, and as SQL. */
import { REPORT_LIMITS } from "../../contract/analytics.ts";
import { type FieldKind, OPERATOR_NAMES } from "../../contract/filter-fields.ts";
import { findOperator, type Operator } from "./filter-terms.ts";

/** Text fields hold texts, numeric ones numbers. `isEmpty` and `notEmpty` have no values. */
export interface Condition<Name extends string = string> {
  readonly field: Name;
  readonly kind: FieldKind;
  readonly op: Operator;
  readonly values: readonly (string | number)[];
  /** Conditions on properties of the same event, beside one on its type or name. */
  readonly ofEvent?: readonly Condition[];
}

/** Path, such as `query.filters.0.op` -> problem. */
export type Failures = Map<string, string>;

/** The fields that the conditions of a list may name. */
export interface Terms<Name extends string> {
  /** `either`: the operator decides whether texts or numbers are compared. Undefined: unknown. */
  kindOf(field: string): FieldKind | "either" | undefined;
  /** Says which fields there are. */
  readonly about: string;
  /** The stored spelling of a value. */
  operandOf?(field: Name, text: string, operator: Operator): string;
  /** Operators, by any of their names; without it all are allowed. */
  readonly operators?: readonly string[];
  /** The only values of the fields, in any case. */
  readonly values?: readonly string[];
  /** Conditions on these fields are read elsewhere. */
  skips?(field: string): boolean;
  /** Fields whose condition may have `filters` on properties of the same event. */
  readonly nesting?: { readonly fields: readonly Name[]; readonly terms: Terms<string> };
}

/** Each character can be read in one way only: `\d+\.?\d*` tried every split of 4,096 digits, 62 ms a value. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
/** A double has 17 digits that count. */
const NUMBER_CHARS = 64;

/** Reads a list of conditions. Adds all problems to `failures`, so that a client sees them at once. */
export function readConditionList<Name extends string>(
  list: unknown,
  path: string,
  failures: Failures,
  terms: Terms<Name>,
): Condition<Name>[] {
  if (!Array.isArray(list)) {
    failures.set(path, "must be an array of conditions");
    return [];
  }
  if (list.length > REPORT_LIMITS.filters) {
    failures.set(path, `must have at most ${REPORT_LIMITS.filters} conditions`);
    return [];
  }
  return list.flatMap((item, index) => readCondition(item, `${path}.${index}`, failures, terms) ?? []);
}

function readCondition<Name extends string>(
  item: unknown,
  path: string,
  failures: Failures,
  terms: Terms<Name>,
): Condition<Name> | undefined {
  if (typeof item !== "object" || item === null || Array.isArray(item)) {
    failures.set(path, "must be an object with field, op and value");
    return undefined;
  }
  const { field, op, filters, ...given } = item as Record<string, unknown>;
  if (typeof field === "string" && terms.skips?.(field) === true) return undefined;
  // Paths of users have their alternatives in `values`.
  const value = given.value ?? given.values;
  const kindOfField = typeof field === "string" ? terms.kindOf(field) : undefined;
  if (kindOfField === undefined) failures.set(`${path}.field`, terms.about);
  const { operators = OPERATOR_NAMES } = terms;
  const operator = typeof op === "string" && operators.includes(op) ? findOperator(op) : undefined;
  if (operator === undefined) failures.set(`${path}.op`, `must be one of ${operators.join(", ")}`);
  const ofEvent = filters === undefined ? [] : readNested(filters, { path, field, failures, terms });
  if (kindOfField === undefined || operator === undefined) {
    if (value === undefined && operator?.takes !== "nothing") failures.set(`${path}.value`, missingValue(operator));
    return undefined;
  }
  const kind = kindOfField === "either" ? kindBy(operator) : kindOfField;
  const name = field as Name;
  if (!operator.kinds.includes(kind)) {
    failures.set(`${path}.op`, `does not work on ${name}, which holds ${kind === "text" ? "text" : "numbers"}`);
    return undefined;
  }
  const problem = operator.takes === "nothing" ? undefined : checkValue(value, operator.takes, kind, terms.values);
  if (problem !== undefined) {
    failures.set(`${path}.value`, problem);
    return undefined;
  }
  const toOperand = (one: unknown) => {
    if (kind === "number") return Number(one);
    return terms.operandOf?.(name, String(one), operator) ?? String(one);
  };
  const values = operator.takes === "nothing" ? [] : toValues(value, operator.takes).map(toOperand);
  return { field: name, kind, op: operator, values, ...(ofEvent.length === 0 ? {} : { ofEvent }) };
}

function readNested<Name extends string>(
  filters: unknown,
  { path, field, failures, terms }: { path: string; field: unknown; failures: Failures; terms: Terms<Name> },
): Condition[] {
  const { nesting } = terms;
  if (nesting === undefined) failures.set(`${path}.filters`, "is not allowed here");
  else if (!nesting.fields.includes(field as Name))
    failures.set(`${path}.filters`, `is allowed with the fields ${nesting.fields.join(" and ")} only`);
  else return readConditionList(filters, `${path}.filters`, failures, nesting.terms);
  return [];
}

/** Comparisons of size are about numbers, everything else is about texts. */
function kindBy(operator: Operator): FieldKind {
  return operator.kinds.includes("text") ? "text" : "number";
}

/** Without a valid operator it is unknown whether a value is needed. */
function missingValue(operator: Operator | undefined): string {
  return operator === undefined ? "is required, except with isEmpty and notEmpty" : "is required";
}

type Scalar = string | number | boolean;

function checkValue(
  value: unknown,
  takes: "one" | "many",
  kind: FieldKind,
  known: readonly string[] | undefined,
): string | undefined {
  const isList = takes === "many" && Array.isArray(value);
  if (value === undefined || value === null) return "is required";
  if (!isList && !isScalar(value))
    return `must be a string, number or boolean${takes === "many" ? ", or an array of them" : ""}`;
  const all = toValues(value, takes);
  if (all.length === 0) return "must have at least one alternative";
  if (!all.every(isScalar)) return "must hold strings, numbers or booleans only";
  // A bar separates alternatives: clients that write the list as a text could not repeat such a value.
  if (isList && all.some((one) => typeof one === "string" && one.includes("|")))
    return "must hold alternatives without a vertical bar";
  if (all.length > REPORT_LIMITS.filterAlternatives)
    return `must have at most ${REPORT_LIMITS.filterAlternatives} alternatives`;
  if (all.some((one) => String(one).length > REPORT_LIMITS.filterValueChars))
    return `must have at most ${REPORT_LIMITS.filterValueChars} characters`;
  if (kind === "number" && !all.every(isNumeric)) return "must be a number";
  if (known !== undefined && !all.every((one) => findSpelling(known, String(one)) !== undefined))
    return `must be one of ${known.join(", ")}`;
  if (all.some((one) => typeof one === "string" && !one.isWellFormed())) return "must be well-formed text";
  return undefined;
}

/** One of some names, in any case, as it is written. */
export function findSpelling(names: readonly string[], text: string): string | undefined {
  return names.find((name) => name.toLowerCase() === text.toLowerCase());
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** A number, or a text that is one. */
export function isNumeric(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "string" || value.length > NUMBER_CHARS) return false;
  return NUMBER.test(value.trim()) && Number.isFinite(Number(value));
}

function toValues(value: unknown, takes: "one" | "many"): unknown[] {
  if (takes === "one") return [value];
  if (Array.isArray(value)) return value;
  return typeof value === "string" ? value.split("|") : [value];
}

export interface Clause {
  readonly sql: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A condition on a column, or on each text of a column that holds a list. Its value is bound under `name`. */
export function conditionClause(
  { kind, op, values }: Condition,
  column: string,
  name: string,
  { ofList = false } = {},
): Clause {
  const type = kind === "text" ? "String" : "Float64";
  const isList = op.takes === "many";
  const sql = (ofList ? op.ofList : undefined) ?? op.sql;
  return {
    sql: sql(column, isList ? `{${name}:Array(${type})}` : `{${name}:${type}}`),
    params: op.takes === "nothing" ? {} : { [name]: isList ? values : values[0] },
  };
}

/**
 * A condition on an amount of an event. By size only events are compared that carry the amount: 0 is none, and "under 1"
 * would keep every session, because each has an event without revenue.
 */
export function amountClause(condition: Condition, column: string, name: string): Clause {
  const { sql, params } = conditionClause(condition, column, name);
  const isOfSize = !condition.op.kinds.includes("text");
  return { sql: isOfSize ? `${column} != 0 AND ${sql}` : sql, params };
}

/** Without clauses: true. */
export function joinClauses(clauses: readonly Clause[]): Clause {
  return {
    sql: clauses.length === 0 ? "1 = 1" : clauses.map(({ sql }) => `(${sql})`).join(" AND "),
    params: Object.assign({}, ...clauses.map(({ params }) => params)) as Clause["params"],
  };
}
