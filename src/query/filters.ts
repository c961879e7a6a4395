/** The query parameter `filters`. */
import {
  type Clause,
  type Condition as ConditionOn,
  conditionClause,
  type Failures,
  joinClauses,
  readConditionList,
  type Terms,
} from "./condition.ts";
import { buildEventClause, EVENT_TERMS } from "./event-terms.ts";
import { FIELDS, type FieldName, type Operator } from "./filter-terms.ts";

export type { Failures } from "./condition.ts";
export type Condition = ConditionOn<FieldName>;

export const PATH = "query.filters";
const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i;

const TERMS: Terms<FieldName> = {
  kindOf: (field) => (Object.hasOwn(FIELDS, field) ? FIELDS[field as FieldName].kind : undefined),
  about: `must be one of ${Object.keys(FIELDS).join(", ")}`,
  operandOf: toOperand,
  nesting: { fields: ["event", "type"], terms: EVENT_TERMS },
};

/**
 * Parses the query parameter. Adds all problems to `failures`, so that a client sees them at once. Conditions on
 * `ownFields` are the report's own: it reads them itself.
 */
export function readFilters(
  text: string | undefined,
  failures: Failures,
  ownFields: readonly string[] = [],
): Condition[] {
  if (text === undefined || text === "") return [];
  const list = findJson(text);
  if (!Array.isArray(list)) {
    failures.set(PATH, "must be a JSON array of conditions");
    return [];
  }
  if (ownFields.length === 0) return readConditionList(list, PATH, failures, TERMS);
  const about = `${TERMS.about}, ${ownFields.join(", ")}`;
  return readConditionList(list, PATH, failures, { ...TERMS, about, skips: (field) => ownFields.includes(field) });
}

/** Undefined: not JSON. */
export function findJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The value that the column is compared with. Users filter by shown values: an empty referrer is shown as Direct, and
 * addresses may be in any case.
 */
function toOperand(field: FieldName, text: string, operator: Operator): string {
  if (field === "referrer" && operator.isExact && text === "Direct") return "";
  return field === "address" ? toAddress(text) : text;
}

/** An address as it is stored. */
export function toAddress(text: string): string {
  return EVM_ADDRESS.test(text) ? text.toLowerCase() : text;
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
  return joinClauses(
    conditions.map((condition, index) => {
      const name = `${prefix}${index}`;
      const ofList = FIELDS[condition.field].isList ?? false;
      const own = conditionClause(condition, columnOf(condition.field), name, { ofList });
      if (condition.ofEvent === undefined) return own;
      return joinClauses([own, buildEventClause(condition.ofEvent, `${name}_`)]);
    }),
  );
}
