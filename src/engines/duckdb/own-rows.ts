/**
 * The rows that the running transaction has added to a table. DuckDB numbers them from here until they are committed,
 * and skips all other row groups (test/engines/duckdb/own-rows.test.ts).
 */
const FIRST_OWN_ROW = "36028797018960000";

export const IS_OWN_ROW = `rowid >= ${FIRST_OWN_ROW}`;
