/**
 * The conditions of a search: `filters`, and `conditions` of older clients, whose paths hold qualifiers
 * (`chains.1.balance`) and whose qualifiers are written as `appId`. Pure: a body in, conditions or failures out.
 */
import { REPORT_LIMITS } from "../contract/analytics.ts";
import { FILTER_OPERATORS, findOperatorName, type OperatorName } from "../contract/filter-fields.ts";
import { STAGES } from "../contract/lifecycle.ts";
import {
  FIELD_CLASSES,
  type FieldClass,
  findProfileField,
  PROFILE_FIELDS,
  type ProfileField,
  QUALIFIERS,
  type Qualifier,
  TOKEN_SCOPES,
} from "../contract/profile-fields.ts";
import { PROFILE_LIMITS } from "../contract/profiles.ts";
import { isNumeric } from "../query/filters/condition.ts";

/** Path, such as `body.filters.0.op` -> problem. */
export type Failures = Map<string, string>;

export interface ProfileCondition {
  readonly field: ProfileField;
  readonly op: OperatorName;
  /** Numbers for amounts and balances, texts for the rest; numbers of a label stay numbers. */
  readonly values: readonly (string | number)[];
  readonly qualifiers: Partial<Readonly<Record<Qualifier, string>>>;
}

export interface Conditions {
  readonly list: readonly ProfileCondition[];
  readonly logic: "and" | "or";
}

const CAMEL: Readonly<Record<string, Qualifier>> = {
  chainId: "chain_id",
  appId: "app_id",
  tokenAddress: "token_address",
  tagId: "tag_id",
};
/** A path of older clients -> the field, and what its middle qualifies. */
const OLD_PATHS: Readonly<Record<string, readonly [field: string, qualifier: Qualifier]>> = {
  chains: ["chains.balance", "chain_id"],
  apps: ["apps.balance", "app_id"],
  tokens: ["tokens.balance", "token_address"],
  labels: ["labels.value", "tag_id"],
};
const QUALIFIER_CHARS = 256;
const NUMERIC: readonly FieldClass[] = ["amount", "worth", "chain_balance", "app_balance", "token_balance"];
const BALANCES: readonly FieldClass[] = ["chain_balance", "app_balance", "token_balance"];

/** Types may be wrong here: the schema refuses them, too. */
export function readSearchBody(body: unknown, failures: Failures): Conditions {
  const { filters, conditions, logic } = (isObject(body) ? body : {}) as Record<string, unknown>;
  if (filters !== undefined && conditions !== undefined)
    failures.set("body.conditions", "is the older form of filters: send one of them");
  const [list, path] = filters === undefined ? [conditions, "body.conditions"] : [filters, "body.filters"];
  return {
    list: readProfileConditions(list ?? [], path, failures, { isOld: path === "body.conditions" }),
    logic: logic === "or" ? "or" : "and",
  };
}

export function readProfileConditions(
  list: unknown,
  path: string,
  failures: Failures,
  { isOld = false } = {},
): ProfileCondition[] {
  if (!Array.isArray(list)) {
    failures.set(path, "must be an array of conditions");
    return [];
  }
  if (list.length > PROFILE_LIMITS.conditions) {
    failures.set(path, `must have at most ${PROFILE_LIMITS.conditions} items`);
    return [];
  }
  return list.flatMap((item, index) => {
    const at = `${path}.${index}`;
    if (isObject(item)) return readCondition(isOld ? modernize(item) : item, at, failures) ?? [];
    failures.set(at, "must be an object with field, op and value");
    return [];
  });
}

function modernize(item: Record<string, unknown>): Record<string, unknown> {
  const renamed = Object.fromEntries(Object.entries(item).map(([key, value]) => [CAMEL[key] ?? key, value]));
  const [head = "", middle = "", ...rest] = typeof item.field === "string" ? item.field.split(".") : [];
  const old = Object.hasOwn(OLD_PATHS, head) && rest.length === 1 ? OLD_PATHS[head] : undefined;
  if (old === undefined || old[0] !== `${head}.${rest[0]}`) return renamed;
  return { ...renamed, field: old[0], [old[1]]: renamed[old[1]] ?? middle };
}

function readCondition(
  { field: name, op, value, ...rest }: Record<string, unknown>,
  path: string,
  failures: Failures,
): ProfileCondition | undefined {
  const before = failures.size;
  const field = typeof name === "string" ? findProfileField(name) : undefined;
  if (field === undefined) failures.set(`${path}.field`, `must be one of ${PROFILE_FIELDS.join(", ")}`);
  const operator = typeof op === "string" ? findOperatorName(op) : undefined;
  const allowed: readonly OperatorName[] | undefined = field && FIELD_CLASSES[field.class].operators;
  if (operator === undefined || (allowed !== undefined && !allowed.includes(operator)))
    failures.set(`${path}.op`, `must be one of ${(allowed ?? Object.keys(FILTER_OPERATORS)).map(shortOf).join(", ")}`);
  const qualifiers = readQualifiers(rest, field, path, failures);
  if (field === undefined || operator === undefined || failures.has(`${path}.op`)) return undefined;
  const values = readValues(value, field.class, operator);
  if (typeof values === "string") failures.set(`${path}.value`, values);
  if (typeof values === "string" || failures.size > before) return undefined;
  return { field, op: operator, values, qualifiers };
}

function shortOf(name: string): string {
  const info = FILTER_OPERATORS[name as OperatorName];
  return "short" in info ? info.short : name;
}

function readQualifiers(
  rest: Record<string, unknown>,
  field: ProfileField | undefined,
  path: string,
  failures: Failures,
): ProfileCondition["qualifiers"] {
  const found: Partial<Record<Qualifier, string>> = {};
  const taken: Partial<Record<Qualifier, "needed" | "allowed">> = field ? FIELD_CLASSES[field.class].qualifiers : {};
  for (const [key, value] of Object.entries(rest)) {
    if (value === undefined) continue;
    if (!isQualifier(key)) failures.set(`${path}.${key}`, "is not a known field");
    else if (field !== undefined && taken[key] === undefined)
      failures.set(`${path}.${key}`, `does not belong to this field, which takes ${listed(taken)}`);
    else if (!isName(value)) failures.set(`${path}.${key}`, "must be a text that is not empty");
    else found[key] = key === "tag_id" ? `${value}`.trim().toLowerCase() : `${value}`.trim();
  }
  for (const [key, need] of Object.entries(taken))
    if (need === "needed" && rest[key] === undefined) failures.set(`${path}.${key}`, "is required with this field");
  if (field?.class === "token_balance") checkScope(found, path, failures);
  return found;
}

function listed(taken: object): string {
  const names = Object.keys(taken);
  return names.length === 0 ? "no qualifiers" : names.join(", ");
}

function checkScope(found: Partial<Record<Qualifier, string>>, path: string, failures: Failures): void {
  const { scope = "any", app_id } = found;
  if (!(TOKEN_SCOPES as readonly string[]).includes(scope))
    failures.set(`${path}.scope`, `must be one of ${TOKEN_SCOPES.join(", ")}`);
  else if (scope === "protocol" && app_id === undefined)
    failures.set(`${path}.app_id`, "is required with the scope protocol");
  else if (scope === "any" && app_id !== undefined)
    failures.set(`${path}.app_id`, "is allowed with the scope protocol only");
}

function isName(value: unknown): value is string | number {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value === "string" && value.trim() !== "" && value.length <= QUALIFIER_CHARS && value.isWellFormed();
}

/** The values, or what is wrong with them. */
function readValues(value: unknown, fieldClass: FieldClass, op: OperatorName): (string | number)[] | string {
  const { takes } = FILTER_OPERATORS[op];
  if (takes === "nothing") return [];
  if (value === undefined || value === null) return "is required";
  const all = takes === "many" ? alternativesOf(value) : [value];
  if (all.length === 0) return "must have at least one alternative";
  if (all.length > REPORT_LIMITS.filterAlternatives)
    return `must have at most ${REPORT_LIMITS.filterAlternatives} alternatives`;
  if (BALANCES.includes(fieldClass))
    return typeof value === "number" && Number.isFinite(value) ? [value] : "must be a JSON number";
  if (NUMERIC.includes(fieldClass)) return all.every(isNumeric) ? all.map(Number) : "must be a number";
  if (!all.every(isScalar)) return "must be a text, a number or a boolean";
  if (takes === "many" && Array.isArray(value) && all.some((one) => typeof one === "string" && one.includes("|")))
    return "must hold alternatives without a vertical bar";
  const texts = all.map((one) => (fieldClass === "label" && typeof one === "number" ? one : String(one)));
  if (texts.some((one) => String(one).length > REPORT_LIMITS.filterValueChars || !String(one).isWellFormed()))
    return `must be well-formed text of at most ${REPORT_LIMITS.filterValueChars} characters`;
  if (fieldClass === "label" && texts.some((one) => one === "")) return "must not be empty";
  return fieldClass === "lifecycle" ? stagesOf(texts) : texts;
}

function stagesOf(texts: readonly (string | number)[]): string[] | string {
  const stages = texts.map((one) => STAGES.find((stage) => stage.toLowerCase() === String(one).toLowerCase()));
  return stages.every((stage) => stage !== undefined) ? stages : `must be one of ${STAGES.join(", ")}`;
}

function alternativesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === "string" ? value.split("|") : [value];
}

function isScalar(value: unknown): value is string | number | boolean {
  return (
    typeof value === "string" || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))
  );
}

function isQualifier(key: string): key is Qualifier {
  return (QUALIFIERS as readonly string[]).includes(key);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
