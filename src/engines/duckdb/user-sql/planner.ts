/**
 * Plans statements of users over an empty warehouse: parsing, checking and DuckDB's planning hear no interrupt, and take
 * any time and memory for some texts of a few kilobytes. So they run in a process that can be ended (planners.ts), and
 * the engine gets a text that is known to have a plan.
 */
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { uniqueNames } from "../../user-sql/formats.ts";
import { createMacros, PLANNING_OPTIONS } from "../planning.ts";
import { createSchema } from "../schema-files.ts";
import { announceTypes, type ResultColumn, rowsAsText, shownType } from "./answer-rows.ts";
import type { PlannedStatement, PlanRequest } from "./planner-messages.ts";
import { openRebuilder } from "./rebuild.ts";

export interface Planner {
  plan(request: PlanRequest): Promise<PlannedStatement>;
  close(): void;
}

export async function openPlanner(): Promise<Planner> {
  const instance = await DuckDBInstance.create(":memory:", {
    ...PLANNING_OPTIONS,
    threads: "1",
    memory_limit: "128MiB",
    lock_configuration: "true",
  });
  const connection = await instance.connect();
  await createMacros(connection);
  await createSchema(connection);
  for (const table of ["events", "sessions"]) await insertBlankRow(connection, table);
  const rebuilder = await openRebuilder();
  return {
    async plan(request) {
      const statement = await rebuilder.check(request);
      const { limit, offset, hasLimit, readsProject } = statement;
      const common = { limit, offset, hasLimit, readsProject };
      if (request.part === "total") return { ...common, columns: [], sql: await rebuilder.print(statement.total) };
      const printed = await rebuilder.print(statement.page);
      const columns = announceTypes(statement.page, await readColumns(connection, printed));
      const sql = await rebuilder.print(rowsAsText(statement.page, columns, request.format));
      const shown = columns.map((column) => ({ name: column.name, type: shownType(column) }));
      return { ...common, columns: shown, sql };
    },
    close() {
      rebuilder.close();
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** The types of the two parameters follow from the statement, so that DuckDB makes the whole plan. */
async function readColumns(connection: DuckDBConnection, sql: string): Promise<ResultColumn[]> {
  const prepared = await connection.prepare(sql);
  try {
    const at = Array.from({ length: prepared.columnCount }, (_, index) => index);
    const names = uniqueNames(at.map((index) => prepared.columnName(index)));
    return at.map((index) => ({ name: names[index] ?? "", duckdbType: prepared.columnType(index) }));
  } finally {
    prepared.destroySync();
  }
}

/** Of an empty table DuckDB plans nothing: it knows that there are no rows. */
async function insertBlankRow(connection: DuckDBConnection, table: string): Promise<void> {
  const columns = await connection.runAndReadAll(
    "SELECT data_type FROM duckdb_columns() WHERE schema_name = 'main' AND table_name = $1 ORDER BY column_index",
    [table],
  );
  const values = columns.getRows().map(([type]) => `CAST(${blankOf(String(type))} AS ${String(type)})`);
  await connection.run(`INSERT INTO ${table} SELECT ${values.join(", ")}`);
}

function blankOf(type: string): string {
  if (type.endsWith("[]")) return "[]";
  if (type === "VARCHAR") return "''";
  if (type === "BOOLEAN") return "false";
  return /^(?:DATE|TIMESTAMP)/.test(type) ? "'1970-01-01'" : "0";
}
