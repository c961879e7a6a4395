/** Converts DuckDB values to those of the port: integers as numbers, days as YYYY-MM-DD. */
import { DuckDBDateValue, DuckDBListValue, type DuckDBResultReader, type DuckDBValue } from "@duckdb/node-api";

type Row = Record<string, unknown>;

export function readRows(reader: DuckDBResultReader): Row[] {
  const names = reader.deduplicatedColumnNames();
  return reader.getRows().map((values) => {
    const row: Row = {};
    for (let at = 0; at < names.length; at += 1) row[names[at] ?? ""] = toPlain(values[at] ?? null);
    return row;
  });
}

function toPlain(value: DuckDBValue): unknown {
  if (typeof value === "bigint") return Number(value);
  if (value instanceof DuckDBDateValue) return value.toString();
  if (value instanceof DuckDBListValue) return value.items.map(toPlain);
  return value;
}
