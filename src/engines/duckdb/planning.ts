/** What the plan of a statement depends on, beside the tables: the same in the warehouse and where statements are planned. */
import type { DuckDBConnection } from "@duckdb/node-api";
import { readSql } from "../../lib/sql.ts";

const MACROS = readSql(new URL("./macros.sql", import.meta.url));
const USER_FUNCTIONS = readSql(new URL("./user-sql/functions.sql", import.meta.url));

/** In one transaction: 123 of their own took 100 ms of processor. */
export async function createMacros(connection: DuckDBConnection): Promise<void> {
  await connection.run("BEGIN TRANSACTION");
  await connection.run(MACROS);
  await connection.run(USER_FUNCTIONS);
  await connection.run("COMMIT");
}

export const PLANNING_OPTIONS: Readonly<Record<string, string>> = {
  // The engine uses no other file, and no statement may change that.
  enable_external_access: "false",
  autoload_known_extensions: "false",
  // Reports sort explicitly; preserving the insertion order would cost memory.
  preserve_insertion_order: "false",
  // A join builds its hash table from its right side, as written and as in ClickHouse. DuckDB's optimizer built it
  // from all sessions of the window instead of today's visitors: 200 instead of 55 ms for top_sources over 90 days of
  // 10 million events.
  // The second one writes row_number() <= n as an aggregate. In 1.5.5 a statement then has a row of NULLs where there
  // is none, and lacks rows whose order is NULL (duckdb/duckdb#23675, #23677).
  disabled_optimizers: "build_side_probe_side,top_n_window_elimination",
};
