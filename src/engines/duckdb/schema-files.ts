/** The schema files, in their order. */
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import { readSql } from "../../lib/sql.ts";

interface SchemaFile {
  version: number;
  name: string;
  sql: string;
  checksum: string;
}

export const SCHEMA_FILES: readonly SchemaFile[] = readSchema(new URL("./schema/", import.meta.url));

/** The tables alone, for a database without rows. */
export async function createSchema(connection: DuckDBConnection): Promise<void> {
  for (const { sql } of SCHEMA_FILES) await connection.run(sql);
}

function readSchema(dir: URL): SchemaFile[] {
  const names = readdirSync(dir).filter((name) => name.endsWith(".sql"));
  return names.sort().map((file, index) => {
    const version = Number(/^(\d{4})_/.exec(file)?.[1] ?? Number.NaN);
    if (version !== index + 1) throw new Error(`schema files must be numbered without gaps: ${file}`);
    // The checksum covers the executed text: a changed comment is no edit.
    const sql = readSql(new URL(file, dir));
    return {
      version,
      name: file.slice(0, -".sql".length),
      sql,
      checksum: createHash("sha256").update(sql).digest("hex"),
    };
  });
}
