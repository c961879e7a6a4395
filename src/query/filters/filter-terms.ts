/** The fields of filters, and what their operators mean in SQL. */
import {
  FILTER_FIELDS,
  FILTER_OPERATORS,
  type FieldKind,
  type FieldName,
  findField,
  findOperatorName,
  type OperatorName,
} from "../../contract/filter-fields.ts";
import { findProperty, LONGEST_PROPERTY, type PropertyField } from "../../contract/properties.ts";

/** A property of events is compared as text or as a number, as the operator wants. */
export type FilterField = FieldName | PropertyField;

export const PROPERTY_ABOUT = `properties.<name>, with a name of at most ${LONGEST_PROPERTY} characters`;

/** Undefined: there is no such field. */
export function kindOfField(field: string): FieldKind | "either" | undefined {
  return findField(field)?.kind ?? (findProperty(field) === undefined ? undefined : "either");
}

export function levelOf(field: FilterField): "session" | "event" {
  return isProperty(field) ? "event" : FILTER_FIELDS[field].level;
}

export function isProperty(field: FilterField): field is PropertyField {
  return !Object.hasOwn(FILTER_FIELDS, field);
}

/** True for a list of texts. */
export function isListField(field: FieldName): boolean {
  return findField(field)?.listOf !== undefined;
}

interface OperatorSql {
  /** True if the operator compares whole values. */
  readonly isExact: boolean;
  sql(column: string, value: string): string;
  /** The same for a list: one of its texts meets the condition, or with `notEquals` and `notIn` none of them is meant. */
  ofList?(column: string, value: string): string;
}

export interface Operator extends OperatorSql {
  readonly takes: "one" | "many" | "nothing";
  readonly kinds: readonly FieldKind[];
}

const exact = (sql: OperatorSql["sql"], ofList: OperatorSql["sql"]): OperatorSql => ({ isExact: true, sql, ofList });
/** A list as an array. */
export const textsOf = (column: string) => `splitByChar(',', ${column})`;
const order = (sign: string): OperatorSql => ({
  isExact: true,
  sql: (column, value) => `${column} ${sign} ${value}`,
});
/**
 * Parts of a text match in any case. In a list, `edge` adds the comma that a part must touch; a part with a comma is in
 * no text of a list.
 */
const part = (sql: OperatorSql["sql"], edge = (text: string) => text): OperatorSql => ({
  isExact: false,
  sql: (column, value) => sql(`lowerUTF8(${column})`, `lowerUTF8(${value})`),
  ofList(column, value) {
    const [all, wanted] = [column, value].map((text) => edge(`lowerUTF8(${text})`));
    return `position(',' IN ${value}) = 0 AND position(${wanted} IN ${all}) > 0`;
  },
});
const emptiness = (sign: string): OperatorSql => ({
  isExact: false,
  sql: (column) => `${column} ${sign} ''`,
});

const SQL: Readonly<Record<OperatorName, OperatorSql>> = {
  equals: exact(
    (column, value) => `${column} = ${value}`,
    (column, value) => `has(${textsOf(column)}, ${value})`,
  ),
  notEquals: exact(
    (column, value) => `${column} != ${value}`,
    (column, value) => `NOT has(${textsOf(column)}, ${value})`,
  ),
  greater: order(">"),
  less: order("<"),
  greaterOrEqual: order(">="),
  lessOrEqual: order("<="),
  in: exact(
    (column, value) => `${column} IN ${value}`,
    (column, value) => `hasAny(${textsOf(column)}, ${value})`,
  ),
  notIn: exact(
    (column, value) => `${column} NOT IN ${value}`,
    (column, value) => `NOT hasAny(${textsOf(column)}, ${value})`,
  ),
  startsWith: part(
    (column, value) => `startsWith(${column}, ${value})`,
    (text) => `concat(',', ${text})`,
  ),
  endsWith: part(
    (column, value) => `endsWith(${column}, ${value})`,
    (text) => `concat(${text}, ',')`,
  ),
  includes: part((column, value) => `position(${value} IN ${column}) > 0`),
  isEmpty: emptiness("="),
  notEmpty: emptiness("!="),
};

const OPERATORS: ReadonlyMap<string, Operator> = new Map(
  Object.entries(FILTER_OPERATORS).map(([name, info]) => [name, { ...info, ...SQL[name as OperatorName] }]),
);

export function findOperator(name: string): Operator | undefined {
  return OPERATORS.get(findOperatorName(name) ?? "");
}
