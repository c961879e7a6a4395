/** Prints what a SELECT reads from. */
import { NOT_SUPPORTED, type Node, refuse } from "../../user-sql/check/tree.ts";
import { quoteName } from "./constants.ts";
import type { Printer } from "./printer.ts";

export function printRelation(printer: Printer, node: Node): string {
  if (((node.column_name_alias as unknown[] | undefined) ?? []).length > 0)
    return refuse("A table takes no list of columns here");
  const alias = node.alias === "" ? "" : ` AS ${quoteName(String(node.alias))}`;
  if (node.type === "BASE_TABLE") return `${quoteName(String(node.table_name))}${alias}`;
  if (node.type === "SUBQUERY") return `(${printer.query((node.subquery as { node: Node }).node)})${alias}`;
  return node.type === "JOIN" ? printJoin(printer, node) : refuse(NOT_SUPPORTED);
}

function printJoin(printer: Printer, node: Node): string {
  // A subquery would hide the names of its tables.
  if ((node.right as Node).type === "JOIN") return refuse("A join in brackets is not supported here: use a subquery");
  const left = printRelation(printer, node.left as Node);
  const right = printRelation(printer, node.right as Node);
  if (node.ref_type === "CROSS") return `${left} CROSS JOIN ${right}`;
  if (node.ref_type === "NATURAL") return refuse("NATURAL JOIN is not supported here");
  const type =
    node.join_type === "SEMI" || node.join_type === "ANTI" ? `LEFT ${node.join_type}` : String(node.join_type);
  const words = `${node.ref_type === "ASOF" ? "ASOF " : ""}${type} JOIN`;
  const using = (node.using_columns as readonly string[]).map(quoteName);
  const on = using.length > 0 ? `USING (${using.join(", ")})` : `ON ${printer.expression(node.condition as Node)}`;
  return `${left} ${words} ${right} ${on}`;
}
