/** Converts DuckDB's values and types to those of an answer. */
import {
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
} from "@duckdb/node-api";
import type { Cell } from "../../user-sql/formats.ts";

export function toCell(value: DuckDBValue): Cell {
  if (value === null || typeof value !== "object") return value;
  if (value instanceof DuckDBTimestampValue) return timeText(value.micros);
  if (value instanceof DuckDBDateValue) return value.toString();
  if (value instanceof DuckDBListValue) return value.items.map(toCell);
  if (value instanceof DuckDBDecimalValue) return value.toDouble();
  if (value instanceof DuckDBTimestampMillisecondsValue) return timeText(value.millis * 1_000n);
  if (value instanceof DuckDBTimestampSecondsValue) return timeText(value.seconds * 1_000_000n);
  if (value instanceof DuckDBStructValue)
    return Object.fromEntries(Object.entries(value.entries).map(([name, each]) => [name, toCell(each)]));
  return value.toString();
}

const FIRST_YEAR_MS = -62_167_219_200_000;
const LAST_YEAR_MS = 253_402_300_799_999;

/** `YYYY-MM-DD hh:mm:ss`, with milliseconds where there are some. */
function timeText(micros: bigint): string {
  const ms = Number(micros / 1_000n);
  // Times that DuckDB has and a Date with four digits of a year has not.
  if (ms < FIRST_YEAR_MS || ms > LAST_YEAR_MS) return new DuckDBTimestampValue(micros).toString();
  const text = new Date(ms).toISOString().replace("T", " ").slice(0, -1);
  return text.endsWith(".000") ? text.slice(0, -4) : text;
}

const TYPES: Readonly<Partial<Record<DuckDBTypeId, string>>> = {
  [DuckDBTypeId.BOOLEAN]: "Bool",
  [DuckDBTypeId.TINYINT]: "Int8",
  [DuckDBTypeId.SMALLINT]: "Int16",
  [DuckDBTypeId.INTEGER]: "Int32",
  [DuckDBTypeId.BIGINT]: "Int64",
  [DuckDBTypeId.HUGEINT]: "Int128",
  [DuckDBTypeId.UTINYINT]: "UInt8",
  [DuckDBTypeId.USMALLINT]: "UInt16",
  [DuckDBTypeId.UINTEGER]: "UInt32",
  [DuckDBTypeId.UBIGINT]: "UInt64",
  [DuckDBTypeId.FLOAT]: "Float32",
  [DuckDBTypeId.DOUBLE]: "Float64",
  [DuckDBTypeId.DECIMAL]: "Float64",
  [DuckDBTypeId.DATE]: "Date",
  [DuckDBTypeId.TIMESTAMP]: "DateTime64(3)",
  [DuckDBTypeId.TIMESTAMP_MS]: "DateTime64(3)",
  [DuckDBTypeId.TIMESTAMP_S]: "DateTime",
};

export function clickhouseType(type: DuckDBType): string {
  if ("valueType" in type && type.typeId === DuckDBTypeId.LIST) return `Array(${clickhouseType(type.valueType)})`;
  return TYPES[type.typeId] ?? "String";
}
