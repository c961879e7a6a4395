/**
 * DuckDB's parser, as an empty database of its own: parsing touches no data, and trees have the format of DuckDB's
 * oldest storage version, which stays the same. (The warehouse's own version would write other fields in each release.)
 */
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { STATEMENT_LIMITS } from "../limits.ts";
import { type Node, refuse } from "./tree.ts";

export interface Parser {
  /** The tree of a text, or the parser's error, as JSON. */
  parse(sql: string): Promise<string>;
  /** The text of a tree. */
  print(tree: Node): Promise<string>;
  close(): void;
}

export async function openParser(): Promise<Parser> {
  const instance = await DuckDBInstance.create(":memory:", {
    threads: "1",
    memory_limit: "256MiB",
    enable_external_access: "false",
    autoload_known_extensions: "false",
    lock_configuration: "true",
  });
  const connection = await instance.connect();
  return {
    async parse(sql) {
      const tree = await selectText(connection, "SELECT json_serialize_sql(CAST($1 AS VARCHAR))", sql);
      return tree.length > STATEMENT_LIMITS.treeChars ? refuse("The query is too long") : tree;
    },
    print: (tree) =>
      selectText(
        connection,
        "SELECT json_deserialize_sql(CAST($1 AS JSON))",
        JSON.stringify({ error: false, statements: [{ node: tree, named_param_map: [] }] }),
      ),
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

async function selectText(connection: DuckDBConnection, sql: string, value: string): Promise<string> {
  const reader = await connection.runAndReadAll(sql, [value]);
  return String(reader.getRows()[0]?.[0]);
}
