/** Translates the common SQL for DuckDB: `{name:Type}` becomes a bound parameter with a cast to its type. */
import { type DuckDBValue, listValue } from "@duckdb/node-api";
import type { SelectParams } from "../port.ts";

export interface Statement {
  readonly sql: string;
  readonly values: Record<string, DuckDBValue>;
}

const PARAMETER = /\{(\w+):(\w+)(?:\((\w+)\))?\}/g;

/** ClickHouse type -> DuckDB type. */
const TYPES: Readonly<Record<string, string>> = {
  String: "VARCHAR",
  Date: "DATE",
  Int64: "BIGINT",
  UInt32: "UINTEGER",
  UInt64: "UBIGINT",
  Float64: "DOUBLE",
};

export function toStatement(sql: string, params: SelectParams): Statement {
  const values: Record<string, DuckDBValue> = {};
  const text = sql.replace(PARAMETER, (_, name: string, type: string, element: string | undefined) => {
    const param = params[name];
    if (param === undefined) throw new Error(`the statement has no value for its parameter ${name}`);
    const isList = type === "Array" && element !== undefined;
    const cast = isList ? `${typeOf(element)}[]` : typeOf(type);
    // The binding cannot infer the element type of an empty list.
    if (Array.isArray(param) && param.length === 0) return `CAST([] AS ${cast})`;
    values[name] = toValue(param);
    return `CAST($${name} AS ${cast})`;
  });
  return { sql: text, values };
}

function typeOf(name: string): string {
  const type = TYPES[name];
  if (type === undefined) throw new Error(`a parameter cannot have the type ${name}`);
  return type;
}

/**
 * Numbers are bound as text, and the cast in the statement converts them. The binding would guess the type from a
 * list's first element: it refuses 2.5 after 1, and integers beyond 64 bits.
 */
function toValue(param: unknown): DuckDBValue {
  if (Array.isArray(param)) return listValue(param.map(toValue));
  if (typeof param === "string") return param;
  if (typeof param === "number" || typeof param === "bigint") return String(param);
  throw new Error(`a parameter cannot be a ${typeof param}`);
}
