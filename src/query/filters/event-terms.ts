/**
 * The fields of a single event: columns of the event itself, and otherwise keys of its `properties`. Steps of funnels
 * and paths, and `filters` inside a condition, use them.
 */
import { NAMED_KINDS } from "../../contract/event-kinds.ts";
import type { FieldKind } from "../../contract/filter-fields.ts";
import { findProperty, LONGEST_PROPERTY, PROPERTY_PREFIX } from "../../contract/properties.ts";
import { amountClause, type Clause, type Condition, conditionClause, joinClauses, type Terms } from "./condition.ts";

interface EventColumn {
  readonly kind: FieldKind;
  readonly sql: string;
  readonly isList?: true;
}

const text = (sql: string): EventColumn => ({ kind: "text", sql });
const number = (sql: string): EventColumn => ({ kind: "number", sql });

/** Properties that have a column are compared in the column, where chains and numbers have one spelling. */
const COLUMNS: Readonly<Record<string, EventColumn>> = {
  origin: text("e.origin"),
  device: text("e.device"),
  browser: text("e.browser"),
  os: text("e.os"),
  location: text("e.location"),
  referrer: text("e.referrer"),
  direct: text("if(e.referrer = '', 'true', 'false')"),
  ref: text("e.ref"),
  utm_source: text("e.utm_source"),
  utm_medium: text("e.utm_medium"),
  utm_campaign: text("e.utm_campaign"),
  utm_content: text("e.utm_content"),
  utm_term: text("e.utm_term"),
  builder_codes: { ...text("e.builder_codes"), isList: true },
  version: text("e.version"),
  locale: text("JSONExtractString(e.context, 'locale')"),
  timezone: text("JSONExtractString(e.context, 'timezone')"),
  page_path: text("e.pathname"),
  rdns: text("e.rdns"),
  provider_name: text("e.provider_name"),
  chain_id: text("e.chain_id"),
  volume: number("e.volume"),
  revenue: number("e.revenue"),
  points: number("e.points"),
};

/**
 * The key of properties that a field means which is no column: `pair`, or as in the filters of reports
 * `properties.pair`. Undefined: there can be none.
 */
export function findKey(field: string): string | undefined {
  return findProperty(field.startsWith(PROPERTY_PREFIX) ? field : `${PROPERTY_PREFIX}${field}`);
}

export const EVENT_TERMS: Terms<string> = {
  kindOf(field) {
    if (Object.hasOwn(COLUMNS, field)) return COLUMNS[field]?.kind;
    return findKey(field) === undefined ? undefined : "either";
  },
  about: `must be a column of the event or a key of its properties, of at most ${LONGEST_PROPERTY} characters`,
  operandOf: (field, value, operator) => (field === "referrer" && operator.isExact && value === "Direct" ? "" : value),
};

/** A text that both engines read as the same number. They disagree about `inf`, `0x10`, `1_000` and 1e999. */
const NUMERIC = "^[+-]?([0-9]{1,30}([.][0-9]{0,30})?|[.][0-9]{1,30})([eE][+-]?[0-9]{1,2})?$";

/** SQL: the event has a name of its own. */
export const isNamedEvent = (event: string) =>
  `${event}.type IN (${NAMED_KINDS.map((kind) => `'${kind}'`).join(", ")})`;

const NO_COLUMNS: ReadonlyMap<string, string> = new Map();

/** The value of a property of an event, whose key is bound under `name`. Without it: the empty text. */
export const propertyText = (event: string, name: string) => `JSONExtractString(${event}.properties, {${name}:String})`;

/** A condition on a property of event `e`. `stored` holds its value already. */
export function propertyClause(condition: Condition, key: string, name: string, stored?: string): Clause {
  const keyName = `${name}_key`;
  const value = stored ?? propertyText("e", keyName);
  const isNumber = condition.kind === "number";
  const sql = isNumber ? `if(match(${value}, '${NUMERIC}'), toFloat64OrNull(${value}), NULL)` : value;
  const { sql: clause, params } = conditionClause(condition, sql, name);
  return {
    sql: isNumber ? `coalesce(${clause}, 1 = 2)` : clause,
    params: stored === undefined ? { ...params, [keyName]: key } : params,
  };
}

/** Conditions on event `e`, joined by AND. Keys of properties are bound too; `columns` hold the values of some. */
export function buildEventClause(conditions: readonly Condition[], prefix: string, columns = NO_COLUMNS): Clause {
  return joinClauses(
    conditions.map((condition, index) => {
      const name = `${prefix}${index}`;
      const column = Object.hasOwn(COLUMNS, condition.field) ? COLUMNS[condition.field] : undefined;
      if (column?.kind === "number") return amountClause(condition, column.sql, name);
      if (column !== undefined) return conditionClause(condition, column.sql, name, { ofList: column.isList ?? false });
      const key = findKey(condition.field) ?? "";
      return propertyClause(condition, key, name, columns.get(key));
    }),
  );
}
