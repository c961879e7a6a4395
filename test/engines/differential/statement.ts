/** A whole statement: CTEs, a SELECT or a set operation, and its order. */
import type { Choices } from "./choices.ts";
import { comparableType, direction } from "./expressions.ts";
import { generateSelect, type Select } from "./select.ts";
import { type Relation, TYPES, type Type } from "./types.ts";

export interface Statement {
  readonly sql: string;
  readonly types: readonly Type[];
  /** Rows are compared in their order. */
  readonly isOrdered: boolean;
}

const SET_TYPES: readonly Type[] = ["int", "text", "date", "time"];

export function generateStatement(choices: Choices): Statement {
  const ctes: (Relation & { sql: string })[] = [];
  while (ctes.length < 2 && choices.chance(15)) {
    const types = Array.from({ length: 1 + choices.pick(3) }, () => comparableType(choices));
    const wanted = { types, prefix: `w${ctes.length}`, depth: 1, hasUnique: true };
    const { sql, relation } = generateSelect(choices, ctes, wanted);
    ctes.push({ ...relation, name: `cte${ctes.length}`, sql });
  }
  const body = choices.chance(12) ? setOperation(choices, ctes) : single(choices, ctes);
  const types = body.relation.columns.map(({ type }) => type);
  const { tail, isOrdered } = order(choices, types);
  const head = ctes.length === 0 ? "" : `WITH ${ctes.map(({ name, sql }) => `${name} AS (${sql})`).join(", ")} `;
  return { sql: `${head}${body.sql}${tail}`, types, isOrdered };
}

function single(choices: Choices, ctes: readonly Relation[]): Select {
  const types = Array.from({ length: 1 + choices.pick(3) }, () => choices.oneOf(TYPES));
  return generateSelect(choices, ctes, { types, prefix: "c", depth: 2, hasUnique: false });
}

function setOperation(choices: Choices, ctes: readonly Relation[]): Select {
  const types = Array.from({ length: 1 + choices.pick(2) }, () => choices.oneOf(SET_TYPES));
  const word = choices.oneOf([
    "UNION ALL",
    "UNION",
    "EXCEPT",
    "INTERSECT",
    "UNION DISTINCT",
    "EXCEPT ALL",
    "INTERSECT ALL",
  ]);
  const part = (prefix: string) => {
    const { sql } = generateSelect(choices, ctes, { types, prefix, depth: 1, hasUnique: false });
    return `SELECT ${types.map((_, at) => `${prefix}${at} AS c${at}`).join(", ")} FROM (${sql}) AS q`;
  };
  const columns = types.map((type, at) => ({ sql: `c${at}`, type }));
  return { sql: `${part("l")} ${word} ${part("r")}`, relation: { name: "", columns } };
}

/** By all columns, so that only equal rows may change places; numbers that are equal in all but the last digits last. */
function order(choices: Choices, types: readonly Type[]): { tail: string; isOrdered: boolean } {
  // The engines order NULLs inside of arrays differently.
  const isArray = types.some((type) => type === "ints" || type === "texts");
  if (isArray || !choices.chance(60)) return { tail: " LIMIT 10000", isOrdered: false };
  const positions = types.map((type, at) => ({ type, at: at + 1 }));
  const sorted = [
    ...positions.filter(({ type }) => type !== "real"),
    ...positions.filter(({ type }) => type === "real"),
  ];
  const keys = sorted.map(({ at }) => `${at}${direction(choices)}`);
  const limit = choices.chance(50) ? ` LIMIT ${1 + choices.pick(12)}` : " LIMIT 1000";
  const offset = choices.chance(25) ? ` OFFSET ${choices.pick(6)}` : "";
  return { tail: ` ORDER BY ${keys.join(", ")}${limit}${offset}`, isOrdered: true };
}
