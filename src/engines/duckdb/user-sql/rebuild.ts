/**
 * From the text of a user to the text that DuckDB executes: parse, check, make anew, and print. The printed text is
 * parsed again: what it says must be the tree that was checked.
 */
import { isDeepStrictEqual } from "node:util";
import { type CheckedStatement, checkStatement } from "../../user-sql/check/check-statement.ts";
import { toParserText } from "../../user-sql/check/clickhouse-syntax.ts";
import type { TableTrees } from "../../user-sql/check/context.ts";
import { openParser, type Parser } from "../../user-sql/check/parser.ts";
import { readTableTrees } from "../../user-sql/check/table-trees.ts";
import { type Node, parseTree, refuse } from "../../user-sql/check/tree.ts";
import { writtenColumns } from "../../user-sql/check/written-names.ts";
import type { UserQuery } from "../../user-sql/user-query.ts";
import { readConstantRelations } from "./constant-relations.ts";
import { readProjectTables } from "./project-tables.ts";

export interface Rebuilder {
  check(query: Pick<UserQuery, "sql" | "defaultRows" | "relations">): Promise<CheckedStatement>;
  /** The text of a checked tree. */
  print(tree: Node): Promise<string>;
  close(): void;
}

export async function openRebuilder(): Promise<Rebuilder> {
  const parser = await openParser();
  const tables = await readTableTrees(parser.parse, await readProjectTables(parser.parse));
  return createRebuilder(parser, tables);
}

function createRebuilder(parser: Parser, tables: TableTrees): Rebuilder {
  return {
    async check({ sql, defaultRows, relations = [] }) {
      const added = await readConstantRelations(relations, parser.parse);
      const all = added.size === 0 ? tables : new Map([...tables, ...added]);
      return checkStatement(await parser.parse(toParserText(sql)), all, defaultRows, writtenColumns(sql));
    },
    async print(tree) {
      const text = await parser.print(tree);
      const { statements } = parseTree(await parser.parse(text)) as { statements: readonly { node: Node }[] };
      const printed = statements.map(({ node }) => plain(node));
      if (!isDeepStrictEqual(printed, [plain(tree)])) refuse("The query has a form that is not supported");
      return text;
    },
    close: parser.close,
  };
}

/** Without positions, and without the parameters of our own tables, which only the text lists. */
function plain(node: Node): unknown {
  const leave = (name: string, value: unknown) =>
    name === "query_location" || name === "named_param_map" ? undefined : value;
  return JSON.parse(JSON.stringify(node, leave));
}
