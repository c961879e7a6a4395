/**
 * Prints a checked tree as ClickHouse's SQL. No text of the user is copied: names and strings are quoted here,
 * functions come from a list, and a table is a subquery over the rows of one project. A node that the check lets pass
 * and ClickHouse lacks is refused.
 */
import { type Node, refuse } from "../../user-sql/check/tree.ts";
import { quoteName } from "./constants.ts";
import { printExpression } from "./print-expression.ts";
import { printSelect, scopeOf } from "./print-select.ts";
import { Budget, PLAIN, type Printer, printAll, printOrder } from "./printer.ts";
import { hasGroupingCall } from "./select-parts.ts";
import { createIsArray } from "./value-kinds.ts";

/** `project_events` and `project_sessions` as SQL. */
export type ProjectRelations = (name: string) => string;

/** The node of a relation that the engine itself defines. */
export function projectRelation(name: string): Node {
  return { type: "PROJECT_RELATION", name };
}

export function printQuery(node: Node, relations: ProjectRelations): string {
  const printer: Printer = {
    query: (each) => (each.type === "PROJECT_RELATION" ? relations(String(each.name)) : printStatement(printer, each)),
    expression: (each) => printExpression(printer, each),
    isArray: createIsArray(node),
    hasGrouping: hasGroupingCall(node),
    budget: new Budget(),
    scope: PLAIN,
  };
  return printer.query(node);
}

function printStatement(printer: Printer, node: Node): string {
  const { map } = node.cte_map as { map: readonly { key: string; value: Node }[] };
  const ctes = map.map(
    ({ key, value }) => `${quoteName(key)} AS (${printer.query((value.query as { node: Node }).node)})`,
  );
  if (map.some(({ value }) => (value.aliases as unknown[]).length > 0)) refuse("A CTE takes no list of columns here");
  const outer = printer.scope;
  printer.scope = PLAIN;
  if (node.type === "SELECT_NODE") printer.scope = scopeOf(printer, node);
  const body = node.type === "SELECT_NODE" ? printSelect(printer, node) : printSetOperation(printer, node);
  const tail = printTail(printer, node.modifiers as readonly Node[]);
  printer.scope = outer;
  return printer.budget.limited(`${ctes.length === 0 ? "" : `WITH ${ctes.join(", ")} `}${body}${tail}`);
}

function printSetOperation({ query }: Printer, node: Node): string {
  const word = `${String(node.setop_type)} ${node.setop_all === true ? "ALL" : "DISTINCT"}`;
  const body = `(${query(node.left as Node)}) ${word} (${query(node.right as Node)})`;
  // With ORDER BY or LIMIT the operation itself must be a subquery, else they would belong to its last part. After
  // WITH there must be a SELECT.
  const { map } = node.cte_map as { map: readonly unknown[] };
  return (node.modifiers as unknown[]).length + map.length === 0 ? body : `SELECT * FROM (${body})`;
}

function printTail(printer: Printer, modifiers: readonly Node[]): string {
  const texts = modifiers.map((each) => {
    if (each.type === "ORDER_MODIFIER") return ` ORDER BY ${printAll(each.orders, printOrder(printer))}`;
    if (each.type !== "LIMIT_MODIFIER") return "";
    const limit = each.limit === null ? "" : ` LIMIT ${printer.expression(each.limit as Node)}`;
    return limit + (each.offset === null ? "" : ` OFFSET ${printer.expression(each.offset as Node)}`);
  });
  return texts.join("");
}
