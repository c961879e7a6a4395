/**
 * The process that reads a Parquet file: its path, and how many rows are passed over. The first line says how many rows
 * the file has, and then there is a line for each row.
 */
import { ImportError } from "../import-error.ts";
import { runReader } from "./reader-process.ts";

/** A column of a row group is in memory as a whole: with 256 MiB, 120,000 texts of 700 bytes were too many. */
const MEMORY_MB = 512;

await runReader(async function* readRows([path = "", skip = "0"]) {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:", {
    threads: "1",
    memory_limit: `${MEMORY_MB}MiB`,
    // Nothing is written beside the file.
    temp_directory: "",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  const file = `'${path.replaceAll("'", "''")}'`;
  // No other file and no address, whatever a file says.
  await connection.run(
    `SET allowed_paths = [${file}]; SET enable_external_access = false; SET lock_configuration = true`,
  );
  const counted = await connection.runAndReadAll(`SELECT sum(num_rows)::BIGINT FROM parquet_file_metadata([${file}])`);
  const wanted = Number(counted.getRows()[0]?.[0] ?? 0);
  const result = await connection.stream(
    `SELECT to_json(file_row)::VARCHAR FROM read_parquet([${file}], union_by_name => false) AS file_row OFFSET ${Number(skip)}`,
  );
  // Rows that are passed over take their time before the first line.
  let chunk = await result.fetchChunk();
  yield `${JSON.stringify({ rows: wanted })}\n`;
  let rows = Number(skip);
  for (; chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    rows += chunk.rowCount;
    yield `${chunk.getColumnValues(0).join("\n")}\n`;
  }
  // After a failure within the rows there are simply no more of them: DuckDB's binding does not tell it.
  if (rows < wanted)
    throw new ImportError(
      `row ${rows + 1} of ${wanted} cannot be read: it is damaged, or its row group takes more than ${MEMORY_MB} MB of memory; write the file with smaller row groups`,
    );
});
