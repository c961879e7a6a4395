/** The query parameter `filters`, and the filters of a segment. */
import { FIELD_NAMES, type FieldName } from "../../contract/filter-fields.ts";
import { PEOPLE_FIELD } from "../../contract/people.ts";
import { findProperty } from "../../contract/properties.ts";
import {
  amountClause,
  type Clause,
  type Condition as ConditionOn,
  conditionClause,
  type Failures,
  joinClauses,
  readConditionList,
  type Terms,
} from "./condition.ts";
import { buildEventClause, EVENT_TERMS, propertyClause } from "./event-terms.ts";
import {
  type FilterField,
  isListField,
  isProperty,
  kindOfField,
  type Operator,
  PROPERTY_ABOUT,
} from "./filter-terms.ts";
import { findJson } from "./json.ts";
import { type Now, type PersonBehaviour, readPeople } from "./people.ts";

export type { Failures } from "./condition.ts";
export type Condition = ConditionOn<FilterField>;

export const PATH = "query.filters";
export const SEGMENT_PATH = "query.segment";
const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i;

const TERMS: Terms<FilterField> = {
  kindOf: kindOfField,
  about: `must be one of ${[...FIELD_NAMES, PEOPLE_FIELD, PROPERTY_ABOUT].join(", ")}`,
  operandOf: toOperand,
  nesting: { fields: ["event", "type"], terms: EVENT_TERMS },
};

/** What filters ask for. */
export interface Filters {
  /** On sessions and events. */
  readonly conditions: readonly Condition[];
  /** By what they have done. */
  readonly people: readonly PersonBehaviour[];
}

interface Given {
  /** Types may be wrong here: another check refuses them. */
  readonly filters?: unknown;
}

interface ReadOptions extends Now {
  /** Conditions on these fields are the report's own: it reads them itself. */
  readonly ownFields?: readonly string[] | undefined;
  /** The filters of a segment: they hold beside those of the query, each list with its own limits. */
  readonly segment?: readonly unknown[] | undefined;
}

/** Parses the query parameter. Adds all problems to `failures`, so that a client sees them at once. */
export function readFilters({ filters }: Given, failures: Failures, options: ReadOptions): Filters {
  const own = readList(findFilterList(filters, failures), PATH, failures, options);
  const ofSegment = readList(options.segment ?? [], SEGMENT_PATH, failures, options);
  return {
    conditions: [...own.conditions, ...ofSegment.conditions],
    people: [...own.people, ...ofSegment.people],
  };
}

function findFilterList(text: unknown, failures: Failures): readonly unknown[] {
  if (typeof text !== "string" || text === "") return [];
  const list = findJson(text);
  if (Array.isArray(list)) return list;
  failures.set(PATH, "must be a JSON array of conditions");
  return [];
}

/** A list that is parsed already; failures have paths below `path`. */
export function readList(
  list: readonly unknown[],
  path: string,
  failures: Failures,
  { ownFields = [], ...now }: Now & Pick<ReadOptions, "ownFields">,
): Filters {
  const about = [TERMS.about, ...ownFields].join(", ");
  const skips = (field: string) => field === PEOPLE_FIELD || ownFields.includes(field);
  const conditions = readConditionList(list, path, failures, { ...TERMS, about, skips });
  // A list that is too long is not read further.
  const people = failures.has(path) ? [] : readPeople(list, path, failures, now);
  return { conditions, people };
}

/**
 * The value that the column is compared with. Users filter by shown values: an empty referrer is shown as Direct, and
 * addresses may be in any case.
 */
function toOperand(field: FilterField, text: string, operator: Operator): string {
  if (field === "referrer" && operator.isExact && text === "Direct") return "";
  return field === "address" ? toAddress(text) : text;
}

/** An address as it is stored. */
export function toAddress(text: string): string {
  return EVM_ADDRESS.test(text) ? text.toLowerCase() : text;
}

/**
 * The only generated SQL: conditions on the columns of `columnOf`, or on properties of event `e`, joined by AND. Every
 * value and every key is bound; only names from this module's tables become SQL text. `prefix` separates the parameters
 * of two clauses.
 */
export function buildClause(
  conditions: readonly Condition[],
  columnOf: (field: FieldName) => string,
  prefix: string,
): Clause {
  return joinClauses(
    conditions.map((condition, index) => {
      const name = `${prefix}${index}`;
      const { field } = condition;
      if (isProperty(field)) return propertyClause(condition, findProperty(field) ?? "", name);
      const ofList = isListField(field);
      const own =
        condition.kind === "number"
          ? amountClause(condition, columnOf(field), name)
          : conditionClause(condition, columnOf(field), name, { ofList });
      if (condition.ofEvent === undefined) return own;
      return joinClauses([own, buildEventClause(condition.ofEvent, `${name}_`)]);
    }),
  );
}
