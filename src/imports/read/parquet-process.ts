/** The process that reads a Parquet file: its path, and how many rows are passed over. A line for each row. */
import { runReader } from "./reader-process.ts";

const MEMORY = "256MiB";

await runReader(async function* readRows([path = "", skip = "0"]) {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:", {
    threads: "1",
    memory_limit: MEMORY,
    // Nothing is written beside the file.
    temp_directory: "",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  const file = `'${path.replaceAll("'", "''")}'`;
  // No other file and no address, whatever a file says.
  await connection.run(`SET allowed_paths = [${file}]; SET enable_external_access = false; SET lock_configuration = true`);
  const result = await connection.stream(
    `SELECT to_json(file_row)::VARCHAR FROM read_parquet([${file}], union_by_name => false) AS file_row OFFSET ${Number(skip)}`,
  );
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk())
    yield `${chunk.getColumnValues(0).join("\n")}\n`;
});
