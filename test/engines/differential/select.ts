/** A SELECT with columns of given types: plain, grouped, of one group, DISTINCT, or with arrays as rows. */
import type { Choices } from "./choices.ts";
import { comparableType, direction, generateExpression, leafOfColumn } from "./expressions.ts";
import { type From, generateFrom } from "./relations.ts";
import type { Column, Relation, Scope, Type } from "./types.ts";

export interface Select {
  readonly sql: string;
  /** Its columns, and another one if the rows can be told apart. */
  readonly relation: Relation;
}

export interface Wanted {
  readonly types: readonly Type[];
  /**
   * Columns are named by it and a number. It is another one in every SELECT of a statement, because an alias that is
   * also a column of the FROM may mean either.
   */
  readonly prefix: string;
  /** How many levels of joins and subqueries it may have. */
  readonly depth: number;
  /** With a column that tells rows apart, if there is one. */
  readonly hasUnique: boolean;
}

const DEPTH = 2;

export function generateSelect(choices: Choices, outer: readonly Relation[], wanted: Wanted): Select {
  const from = generateFrom(choices, outer, wanted.depth, wanted.prefix);
  const where = choices.chance(40) ? ` WHERE ${generateExpression(choices, from.scope, "bool", 2)}` : "";
  const kind = choices.pick(10);
  if (kind >= 7) return grouped(choices, from, where, wanted);
  if (kind === 6) return ofOneGroup(choices, from, where, wanted);
  if (kind === 5) return distinct(choices, from, where, wanted);
  return plain(choices, from, where, wanted);
}

const namesOf = (prefix: string, types: readonly Type[]): Column[] =>
  types.map((type, at) => ({ sql: `${prefix}${at}`, type }));

function plain(choices: Choices, { sql, scope }: From, where: string, { types, prefix, hasUnique }: Wanted): Select {
  const hasWindows = scope.unique !== undefined && choices.chance(40);
  const expressions = types.map((type) => generateExpression(choices, { ...scope, hasWindows }, type, DEPTH));
  const at = types.findIndex((type) => type === "int" || type === "text");
  const isJoined = at >= 0 && choices.chance(6);
  if (isJoined)
    expressions[at] =
      `${choices.oneOf(["arrayJoin", "unnest"])}(${generateExpression(choices, scope, types[at] === "int" ? "ints" : "texts", 2)})`;
  const columns = expressions.map((each, n) => `${each} AS ${prefix}${n}`);
  const unique = isJoined || !hasUnique ? undefined : scope.unique;
  if (unique !== undefined) columns.push(`${unique} AS ${prefix}k`);
  const qualify =
    scope.unique !== undefined && !isJoined && choices.chance(8)
      ? ` QUALIFY row_number() OVER (ORDER BY ${scope.unique}${direction(choices)}) <= ${1 + choices.pick(9)}`
      : "";
  return {
    sql: `SELECT ${columns.join(", ")} FROM ${sql}${where}${qualify}`,
    relation: { name: "", columns: namesOf(prefix, types), unique: unique === undefined ? undefined : `${prefix}k` },
  };
}

function distinct(choices: Choices, { sql, scope }: From, where: string, { types, prefix }: Wanted): Select {
  // Digits that differ make rows different.
  const sure = types.map((type) => (type === "real" ? "float" : type));
  const columns = sure.map((type, at) => `${generateExpression(choices, scope, type, 2)} AS ${prefix}${at}`);
  return {
    sql: `SELECT DISTINCT ${columns.join(", ")} FROM ${sql}${where}`,
    relation: { name: "", columns: namesOf(prefix, sure) },
  };
}

function ofOneGroup(choices: Choices, { sql, scope }: From, where: string, { types, prefix }: Wanted): Select {
  const of: Scope = { columns: [], rows: scope, relations: scope.relations };
  const columns = types.map((type, at) => `${aggregate(choices, of, type)} AS ${prefix}${at}`);
  // Without any aggregate it would not be one group.
  columns.push(`count() AS ${prefix}n`);
  return {
    sql: `SELECT ${columns.join(", ")} FROM ${sql}${where}`,
    relation: { name: "", columns: [...namesOf(prefix, types), { sql: `${prefix}n`, type: "int" }] },
  };
}

function aggregate(choices: Choices, scope: Scope, type: Type): string {
  return generateExpression(choices, scope, type, DEPTH);
}

/** The first columns are the keys. */
function grouped(choices: Choices, { sql, scope }: From, where: string, { types, prefix }: Wanted): Select {
  const count = Math.min(1 + choices.pick(2), types.length);
  const made = types.map((type) =>
    type === "real" || type === "ints" || type === "texts" ? comparableType(choices) : type,
  );
  const keys = made.slice(0, count).map((type): Column => ({ sql: key(choices, scope, type), type }));
  const of: Scope = { columns: keys, rows: scope, relations: scope.relations };
  const rest = types.slice(count).map((type) => aggregate(choices, of, type));
  const columns = [...keys.map((each) => each.sql), ...rest].map((each, at) => `${each} AS ${prefix}${at}`);
  const by = groupBy(choices, keys, prefix);
  const having = choices.chance(20) ? ` HAVING ${generateExpression(choices, of, "bool", 2)}` : "";
  return {
    sql: `SELECT ${columns.join(", ")} FROM ${sql}${where} GROUP BY ${by}${having}`,
    relation: { name: "", columns: namesOf(prefix, [...made.slice(0, count), ...types.slice(count)]) },
  };
}

/**
 * Of a column, as far as there is one: a constant as a key is a position, and in a grouping set ClickHouse keeps it where
 * DuckDB has NULL.
 */
function key(choices: Choices, scope: Scope, type: Type): string {
  const column = leafOfColumn(choices, scope, type);
  if (column === undefined) return `toNullable(${generateExpression(choices, scope, type, 0)})`;
  return choices.chance(40) ? choices.oneOf(KEYS[type] ?? ["{}"]).replace("{}", () => column) : column;
}

const KEYS: Partial<Record<Type, readonly string[]>> = {
  int: ["abs({})", "({} % 3)", "intDiv({}, 10)"],
  float: ["floor({})", "({} / 2)"],
  text: ["lower({})", "substring({}, 1, 1)", "nullif({}, '')", "concat({}, '-')"],
  date: ["toStartOfMonth({})", "toMonday({})"],
  time: ["toStartOfHour({})", "date_trunc('day', {})", "toStartOfInterval({}, INTERVAL 6 HOUR)"],
};

function groupBy(choices: Choices, keys: readonly Column[], prefix: string): string {
  const spelt = choices.pick(3);
  const names = keys.map(({ sql }, at) => (spelt === 1 ? String(at + 1) : spelt === 2 ? `${prefix}${at}` : sql));
  const sets = choices.chance(15) ? 1 + choices.pick(3) : 0;
  if (sets === 1) return `ROLLUP (${names.join(", ")})`;
  if (sets === 2) return `CUBE (${names.join(", ")})`;
  if (sets === 3) return `GROUPING SETS ((${names.join(", ")}), (${names.at(-1)}), ())`;
  return names.join(", ");
}
