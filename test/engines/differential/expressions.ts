/** Fills the templates: a random expression of a type, over the columns of a scope. */
import { AGGREGATES, WINDOWS } from "./aggregates.ts";
import type { Choices } from "./choices.ts";
import { CONSTANTS, type Constant, LITERALS } from "./literals.ts";
import { SCALARS } from "./scalars.ts";
import { generateSubqueryTest, generateSubqueryValue } from "./subqueries.ts";
import type { Scope, Type } from "./types.ts";
import { TYPES } from "./types.ts";

const ORDERED: readonly Type[] = ["int", "text", "float", "date", "time"];
const FRAMES = [
  "",
  " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW",
  " ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING",
  " ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING",
  " ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING",
  " ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
  " RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
  " ROWS UNBOUNDED PRECEDING",
];
const RANGES = ["1 PRECEDING AND CURRENT ROW", "2 PRECEDING AND 3 FOLLOWING", "UNBOUNDED PRECEDING AND 1 FOLLOWING"];

/** The types of values that can be compared, ordered and grouped. */
export function comparableType(choices: Choices): Type {
  return choices.oneOf(ORDERED);
}

export function generateExpression(choices: Choices, scope: Scope, type: Type, depth: number): string {
  if (depth <= 0 || !choices.chance(70)) return leaf(choices, scope, type);
  if (scope.rows !== undefined && choices.chance(65))
    return fill(choices, scope.rows, type, depth - 1, choices.oneOf(usable(AGGREGATES[type], scope.rows)), scope);
  if (scope.hasWindows && WINDOWS[type].length > 0 && choices.chance(35))
    return fill(choices, { ...scope, hasWindows: false }, type, depth - 1, choices.oneOf(WINDOWS[type]));
  const inner = { ...scope, hasWindows: false };
  if (choices.chance(4)) {
    const made = type === "bool" ? generateSubqueryTest(choices, inner) : generateSubqueryValue(choices, inner, type);
    if (made !== undefined) return made;
  }
  return fill(choices, inner, type, depth - 1, choices.oneOf(SCALARS[type]));
}

function usable(templates: readonly string[], { unique }: Scope): readonly string[] {
  return unique === undefined ? templates.filter((template) => !template.includes("{unique}")) : templates;
}

function leaf(choices: Choices, scope: Scope, type: Type): string {
  const column = choices.chance(75) ? leafOfColumn(choices, scope, type) : undefined;
  return column ?? choices.oneOf(LITERALS[type]);
}

/** What a column of another type gives, if none has the type. */
const DERIVED: Partial<Record<Type, ReadonlyArray<readonly [Type, string]>>> = {
  int: [
    ["time", "toHour({})"],
    ["float", "toInt64({})"],
    ["text", "lengthUTF8({})"],
  ],
  float: [["int", "({} / 4)"]],
  bool: [
    ["text", "({} != '')"],
    ["float", "({} > 1)"],
    ["int", "({} > 1)"],
  ],
  date: [["time", "toDate({})"]],
  time: [["date", "toDateTime({})"]],
  texts: [["text", "[{}]"]],
  ints: [["int", "[{}]"]],
};

/** A column of the type, or an expression of one; undefined where the scope has none. */
export function leafOfColumn(choices: Choices, { columns }: Scope, type: Type): string | undefined {
  const exact = columns.filter((column) => column.type === type);
  if (exact.length > 0) return choices.oneOf(exact).sql;
  const derived = (DERIVED[type] ?? []).flatMap(([from, template]) =>
    columns.filter((column) => column.type === from).map(({ sql }) => template.replace("{}", () => sql)),
  );
  return derived.length === 0 ? undefined : choices.oneOf(derived);
}

/** `keys` is the scope of the groups, for a template of an aggregate. */
function fill(choices: Choices, scope: Scope, type: Type, depth: number, template: string, keys?: Scope): string {
  const any = template.includes("{any}") ? comparableType(choices) : "int";
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    if (name === "T") return generateExpression(choices, scope, type, depth);
    if (name === "any") return generateExpression(choices, scope, any, depth);
    if (name === "literal") return choices.oneOf(LITERALS[type]);
    if (name === "keyOfT") return leaf(choices, keys ?? scope, type);
    if (name === "unique") return scope.unique ?? "''";
    if (Object.hasOwn(CONSTANTS, name)) return choices.oneOf<string>(CONSTANTS[name as Constant]);
    if (TYPES.some((known) => known === name)) return generateExpression(choices, scope, name as Type, depth);
    return WINDOW_PARTS[name]?.(choices, scope) ?? whole;
  });
}

const WINDOW_PARTS: Readonly<Record<string, (choices: Choices, scope: Scope) => string>> = {
  over: (choices, scope) => partition(choices, scope) + (choices.chance(50) ? orderBy(choices, scope) : ""),
  order: (choices, scope) => partition(choices, scope) + orderBy(choices, scope),
  total: (choices, scope) => `${partition(choices, scope)}${orderBy(choices, scope)}, ${scope.unique ?? "''"}`,
  range: (choices, scope) => {
    // A NULL in the order of such a frame: ClickHouse puts it into the frames of numbers.
    const by = `coalesce(${leaf(choices, scope, "int")}, 0)`;
    return `${partition(choices, scope)}ORDER BY ${by} RANGE BETWEEN ${choices.oneOf(RANGES)}`;
  },
  frame: (choices) => choices.oneOf(FRAMES),
};

function partition(choices: Choices, scope: Scope): string {
  return choices.chance(50) ? `PARTITION BY ${leaf(choices, scope, comparableType(choices))} ` : "";
}

function orderBy(choices: Choices, scope: Scope): string {
  return `ORDER BY ${leaf(choices, scope, comparableType(choices))}${direction(choices)}`;
}

export function direction(choices: Choices): string {
  return choices.oneOf(["", " DESC", " ASC", " NULLS FIRST", " DESC NULLS LAST", " DESC NULLS FIRST"]);
}
