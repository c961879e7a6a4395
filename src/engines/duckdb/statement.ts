/** The SQL that both engines understand, as DuckDB takes it: `{name:Type}` becomes a bound parameter, cast to its type. */
import { type DuckDBValue, listValue } from "@duckdb/node-api";
import type { SelectParams } from "../port.ts";

export interface Statement {
  readonly sql: string;
  readonly values: Record<string, DuckDBValue>;
}

const PARAMETER = /\{(\w+):(\w+)(?:\((\w+)\))?\}/g;

/** ClickHouse's name of a type -> DuckDB's. */
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
    const given = params[name];
    if (given === undefined) throw new Error(`the statement has no value for its parameter ${name}`);
    values[name] = toValue(given);
    const isList = type === "Array" && element !== undefined;
    return `CAST($${name} AS ${isList ? `${typeOf(element)}[]` : typeOf(type)})`;
  });
  return { sql: text, values };
}

function typeOf(name: string): string {
  const type = TYPES[name];
  if (type === undefined) throw new Error(`a parameter cannot have the type ${name}`);
  return type;
}

/** Texts and numbers; the cast in the statement makes days and the other widths of them. */
function toValue(given: unknown): DuckDBValue {
  if (Array.isArray(given)) return listValue(given.map(toValue));
  if (typeof given === "string" || typeof given === "number" || typeof given === "bigint") return given;
  throw new Error(`a parameter cannot be a ${typeof given}`);
}
