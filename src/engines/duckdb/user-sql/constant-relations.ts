/**
 * The trees of tables that the caller of a statement adds. The rows are one JSON text: as VALUES the 250 columns of the
 * catalogue would be 4,000 nodes of a tree.
 */

import type { CheckedQuery } from "../../user-sql/check/context.ts";
import { rawTree, type Serialize } from "../../user-sql/check/table-trees.ts";
import type { ConstantRelation, ConstantType } from "../../user-sql/constant-relation.ts";

const TYPES: Readonly<Record<ConstantType, { duckdb: string; empty: string }>> = {
  String: { duckdb: "VARCHAR", empty: "''" },
  UInt8: { duckdb: "UTINYINT", empty: "CAST(0 AS UTINYINT)" },
  UInt64: { duckdb: "UBIGINT", empty: "CAST(0 AS UBIGINT)" },
  "Nullable(UInt64)": { duckdb: "UBIGINT", empty: "NULL" },
  "Nullable(String)": { duckdb: "VARCHAR", empty: "NULL" },
  DateTime: { duckdb: "TIMESTAMP_S", empty: "CAST('1970-01-01' AS TIMESTAMP_S)" },
  "Array(String)": { duckdb: "VARCHAR[]", empty: "CAST([] AS VARCHAR[])" },
};

export async function readConstantRelations(
  relations: readonly ConstantRelation[],
  serialize: Serialize,
): Promise<ReadonlyMap<string, CheckedQuery>> {
  const trees = new Map<string, CheckedQuery>();
  for (const relation of relations) {
    const node = rawTree(await serialize(toSql(relation)));
    const columns = relation.columns.map(({ name }) => name);
    trees.set(relation.name, { node, width: columns.length, weight: 1, columns });
  }
  return trees;
}

/** Empty values are left out of the text. */
function toSql({ columns, rows }: ConstantRelation): string {
  const types = Object.fromEntries(columns.map(({ name, type }) => [name, TYPES[type].duckdb]));
  // The form that from_json reads: an array of texts is a list with one type.
  const fieldTypes = Object.fromEntries(
    Object.entries(types).map(([name, type]) => [name, type.endsWith("[]") ? [type.slice(0, -2)] : type]),
  );
  const objects = rows.map((row) =>
    Object.fromEntries(
      columns.map(({ name }, i) => [name, row[i]] as const).filter(([, value]) => value !== "" && value !== null),
    ),
  );
  const list = columns.map(
    ({ name, type }) => `coalesce(c.r.${quoteName(name)}, ${TYPES[type].empty}) AS ${quoteName(name)}`,
  );
  const json = `from_json(${quoteText(JSON.stringify(objects))}, ${quoteText(JSON.stringify([fieldTypes]))})`;
  return `SELECT ${list.join(", ")} FROM (SELECT unnest(${json}) AS r) AS c`;
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
