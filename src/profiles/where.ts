/**
 * The conditions of a search as SQL over `p`, a profile. Every value is bound. Properties and labels are asked by sets
 * of addresses, so that one statement answers everything on both engines.
 */
import type { OperatorName } from "../contract/filter-fields.ts";
import { STAGES } from "../contract/lifecycle.ts";
import { NET_WORTH, SOCIAL_KEYS } from "../contract/profile-fields.ts";
import { type Clause, isNumeric } from "../query/filters/condition.ts";
import type { Conditions, ProfileCondition } from "./read-conditions.ts";

/** No profile: no provider tells what it asks for. */
const NOBODY: Clause = { sql: "1 = 0", params: {} };
const SIGNS = {
  equals: "=",
  notEquals: "!=",
  greater: ">",
  greaterOrEqual: ">=",
  less: "<",
  lessOrEqual: "<=",
} as const;

/** `prefix` separates the parameters of two lists. Without conditions: everybody. */
export function conditionsClause({ list, logic }: Conditions, prefix: string): Clause {
  const clauses = list.map((condition, index) => clauseOf(condition, `${prefix}${index}`));
  if (clauses.length === 0) return { sql: "1 = 1", params: {} };
  return {
    sql: clauses.map(({ sql }) => `(${sql})`).join(logic === "or" ? " OR " : " AND "),
    params: Object.assign({}, ...clauses.map(({ params }) => params)) as Clause["params"],
  };
}

function clauseOf(condition: ProfileCondition, name: string): Clause {
  const { field } = condition;
  switch (field.class) {
    case "worth":
      return worthClause(condition, name);
    case "chain_balance":
    case "app_balance":
    case "token_balance":
      return NOBODY;
    case "amount":
      return {
        sql: `p.${field.column} ${signOf(condition.op)} {${name}:Float64}`,
        params: { [name]: condition.values[0] },
      };
    case "lifecycle":
      return stageClause(condition, name);
    case "label":
      return labelClause(condition, name);
    case "social":
      return socialClause(condition, name);
    case "paid_source":
    case "text":
      return field.column === "location"
        ? locationClause(condition, name)
        : textClause(condition, `p.${field.column}`, name);
  }
}

/** Who has none, without a provider everybody, meets no condition on it. */
function worthClause({ op, values }: ProfileCondition, name: string): Clause {
  const compared = `toFloat64OrNull(value) ${signOf(op)} {${name}:Float64}`;
  return {
    sql: `p.address IN (${OF_PROPERTY} '${NET_WORTH}' AND ${compared})`,
    params: { [name]: values[0] },
  };
}

function signOf(op: OperatorName): string {
  const sign = SIGNS[op as keyof typeof SIGNS];
  if (sign === undefined) throw new Error(`${op} does not compare`);
  return sign;
}

/** Parts of a text match in the same letter case. */
function textClause({ op, values }: ProfileCondition, column: string, name: string): Clause {
  const one = `{${name}:String}`;
  const params = { [name]: op === "in" || op === "notIn" ? values : values[0] };
  switch (op) {
    case "in":
      return { sql: `${column} IN {${name}:Array(String)}`, params };
    case "notIn":
      return { sql: `${column} NOT IN {${name}:Array(String)}`, params };
    case "includes":
      return { sql: `position(${one} IN ${column}) > 0`, params };
    case "startsWith":
    case "endsWith":
      return { sql: `${op}(${column}, ${one})`, params };
    case "isEmpty":
      return { sql: `${column} = ''`, params: {} };
    case "notEmpty":
      return { sql: `${column} != ''`, params: {} };
    case "equals":
    case "notEquals":
    case "greater":
    case "greaterOrEqual":
    case "less":
    case "lessOrEqual":
      return { sql: `${column} ${signOf(op)} ${one}`, params };
  }
}

const OF_PROPERTY = "SELECT address FROM kept_properties WHERE name =";

/** What the app says counts before what the events say. */
function locationClause(condition: ProfileCondition, name: string): Clause {
  const said = textClause(condition, "value", name);
  const seen = textClause(condition, "p.location", name);
  const ofLocation = `${OF_PROPERTY} 'location'`;
  return {
    sql: `p.address IN (${ofLocation} AND ${said.sql}) OR (p.address NOT IN (${ofLocation}) AND ${seen.sql})`,
    params: said.params,
  };
}

function socialClause({ field, op, values }: ProfileCondition, name: string): Clause {
  const key = `${name}_key`;
  const ofKey = `${OF_PROPERTY} {${key}:String}`;
  const params = { [key]: field.column, ...(op === "notEmpty" ? {} : { [name]: values[0] }) };
  if (op === "notEmpty") return { sql: `p.address IN (${ofKey})`, params };
  if (op === "includes")
    return { sql: `p.address IN (${ofKey} AND position(lowerUTF8({${name}:String}) IN lowerUTF8(value)) > 0)`, params };
  const isIn = op === "notEquals" ? "NOT IN" : "IN";
  return { sql: `p.address ${isIn} (${ofKey} AND value = {${name}:String})`, params };
}

/** A wallet that has the label, with such a value. Sizes are compared as numbers if the given value is one. */
function labelClause({ op, values, qualifiers }: ProfileCondition, name: string): Clause {
  const [value] = values;
  const { tag_id, chain_id } = qualifiers;
  const isOfSize = op !== "equals" && op !== "notEquals" && op !== "includes";
  const byNumber = isOfSize && isNumeric(value);
  const compare = () => {
    if (op === "includes") return `position(lowerUTF8({${name}:String}) IN lowerUTF8(value)) > 0`;
    return byNumber ? `toFloat64OrNull(value) ${signOf(op)} {${name}:Float64}` : `value ${signOf(op)} {${name}:String}`;
  };
  const ofChain = chain_id === undefined ? "" : ` AND chain_id = {${name}_chain:String}`;
  return {
    sql: `p.address IN (SELECT address FROM kept_labels WHERE tag_id = {${name}_tag:String}${ofChain} AND ${compare()})`,
    params: {
      [`${name}_tag`]: tag_id,
      // A profile shows a label without a chain as one of all chains.
      ...(chain_id === undefined ? {} : { [`${name}_chain`]: chain_id === "-" ? "" : chain_id }),
      [name]: byNumber ? Number(value) : String(value),
    },
  };
}

function stageClause({ values }: ProfileCondition, name: string): Clause {
  const stages = values.map((value) => (STAGES as readonly unknown[]).indexOf(value) + 1);
  return {
    sql: `p.address IN (SELECT user_key FROM stages WHERE stage IN {${name}:Array(Float64)})`,
    params: { [name]: stages },
  };
}

/** The address or a social name contains a text, in any case. */
export function searchClause(text: string): Clause {
  const contains = (column: string) => `position(lowerUTF8({search:String}) IN lowerUTF8(${column})) > 0`;
  return {
    sql: `${contains("p.address")} OR p.address IN
    (SELECT address FROM kept_properties WHERE name IN {search_keys:Array(String)} AND ${contains("value")})`,
    params: { search: text, search_keys: ["display_name", ...SOCIAL_KEYS] },
  };
}
