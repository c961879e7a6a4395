/**
 * Checks a user's statement by DuckDB's own tree of it (json_serialize_sql) and makes a new tree of the parts that are
 * allowed: nothing that the check does not know gets into it. Its tables are subqueries that read one project.
 */
import { SQL_LIMITS } from "../../../contract/query.ts";
import { createChecks } from "./check-query.ts";
import { type CheckedQuery, Context, type TableTrees } from "./context.ts";
import { findMentioned } from "./prune.ts";
import {
  call,
  fieldsOf,
  findInteger,
  integer,
  list,
  type Node,
  parseTree,
  plainSelect,
  refuse,
  subquery,
  text,
} from "./tree.ts";
import { nameColumns } from "./written-names.ts";

export interface CheckedStatement {
  /** Returns one row more than `limit`, which shows that there are more. */
  readonly page: Node;
  /** Counts the rows without LIMIT and OFFSET. */
  readonly total: Node;
  readonly limit: number;
  readonly offset: number;
  /** Whether the limit is the statement's own. */
  readonly hasLimit: boolean;
  /** False for a statement without tables of the project, such as SELECT 1: it has no parameters. */
  readonly readsProject: boolean;
}

/** `serialized` is the answer of json_serialize_sql, `written` the text of each column. */
export function checkStatement(
  serialized: string,
  tables: TableTrees,
  defaultRows: number = SQL_LIMITS.rows.default,
  written?: readonly string[],
): CheckedStatement {
  const { node } = checkQuery(serialized, tables, written);
  const modifiers = list(node.modifiers) as readonly Node[];
  const limits = modifiers.filter(({ type }) => type === "LIMIT_MODIFIER");
  const others = modifiers.filter(({ type }) => type !== "LIMIT_MODIFIER");
  const [given] = limits;
  const limit = numberOf(given?.limit) ?? defaultRows;
  const offset = numberOf(given?.offset) ?? 0;
  if (limit > SQL_LIMITS.rows.most) refuse(`LIMIT must not be above ${SQL_LIMITS.rows.most}`);
  if (offset > SQL_LIMITS.rows.most * 1_000) refuse("OFFSET is too large");
  const more = { type: "LIMIT_MODIFIER", limit: integer(limit + 1), offset: offset === 0 ? null : integer(offset) };
  const unordered = others.filter(({ type }) => type !== "ORDER_MODIFIER");
  return {
    page: { ...node, modifiers: [...others, more] },
    total: plainSelect([call("count_star", [])], subquery({ ...node, modifiers: unordered }, "counted", [])),
    limit,
    offset,
    hasLimit: given !== undefined,
    readsProject: hasParameter(node),
  };
}

/** Only our own tables have parameters: those of users are refused. */
function hasParameter(tree: unknown): boolean {
  if (typeof tree !== "object" || tree === null) return false;
  return (tree as { class?: unknown }).class === "PARAMETER" || Object.values(tree).some(hasParameter);
}

/** Also checks the definitions of tables. */
export function checkQuery(serialized: string, tables: TableTrees, written?: readonly string[]): CheckedQuery {
  const { error, error_message, statements } = parseTree(serialized);
  if (error !== false) return refuse(parserMessage(error_message));
  const [statement, second] = list(statements);
  if (statement === undefined || second !== undefined) return refuse("Only one statement is allowed");
  const { node: parsed } = fieldsOf(statement, "node", "named_param_map");
  const node = nameColumns(parsed as Node, written);
  return createChecks(new Context(tables, findMentioned(node))).select(node);
}

function parserMessage(message: unknown): string {
  const [line = ""] = text(message).split("\n");
  if (line.startsWith("Only SELECT")) return "Only a single SELECT or WITH statement is allowed";
  return `The query cannot be parsed: ${line.slice(0, 300)}`;
}

function numberOf(node: unknown): number | undefined {
  return node === null || node === undefined ? undefined : findInteger(node as Node);
}
