/** Subqueries in expressions: IN, EXISTS, comparisons with a value, and values; some of them correlated. */
import type { Choices } from "./choices.ts";
import { comparableType, generateExpression } from "./expressions.ts";
import { generateSelect } from "./select.ts";
import type { Scope, Type } from "./types.ts";

const INNER = "(SELECT address AS a, event AS e, points AS p, timestamp AS t FROM events) AS s";

export function generateSubqueryTest(choices: Choices, scope: Scope): string {
  const kind = choices.pick(5);
  const text = () => generateExpression(choices, scope, "text", 0);
  if (kind === 0) return `EXISTS (SELECT 1 FROM ${INNER} WHERE s.p > ${choices.pick(8)})`;
  if (kind === 1) return `EXISTS (SELECT 1 FROM ${INNER} WHERE s.a = ${text()} AND s.p > 2)`;
  if (kind === 2) return `NOT EXISTS (SELECT 1 FROM ${INNER} WHERE s.e = ${text()})`;
  const type = comparableType(choices);
  const made = generateSelect(choices, scope.relations, { types: [type], prefix: "i", depth: 0, hasUnique: false });
  const value = generateExpression(choices, scope, type, 1);
  return `(${value} ${kind === 3 ? "IN" : "NOT IN"} (SELECT i0 FROM (${made.sql}) AS q))`;
}

/** Undefined for types that no aggregate of the subquery has. */
export function generateSubqueryValue(choices: Choices, scope: Scope, type: Type): string | undefined {
  if (type === "int") return `(SELECT count() FROM ${INNER} WHERE s.p > ${choices.pick(8)})`;
  if (type === "float") {
    const by = choices.chance(50) ? ` WHERE s.a = ${generateExpression(choices, scope, "text", 0)}` : "";
    return `(SELECT max(s.p) FROM ${INNER}${by})`;
  }
  if (type === "text") return `(SELECT max(s.e) FROM ${INNER} WHERE s.p > ${choices.pick(8)})`;
  if (type === "time") return `(SELECT min(s.t) FROM ${INNER})`;
  return undefined;
}
