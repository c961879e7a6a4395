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
    const isList = type === "Array" && element !== undefined;
    const cast = isList ? `${typeOf(element)}[]` : typeOf(type);
    // The binding cannot tell of what an empty list is one.
    if (Array.isArray(given) && given.length === 0) return `CAST([] AS ${cast})`;
    values[name] = toValue(given);
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
 * Numbers go as texts, which the cast in the statement makes the right type of. The binding would guess one: it takes that of a list's first element for
 * all, so that 2.5 after 1 is refused, and whole numbers beyond 64 bits are, too.
 */
function toValue(given: unknown): DuckDBValue {
  if (Array.isArray(given)) return listValue(given.map(toValue));
  if (typeof given === "string") return given;
  if (typeof given === "number" || typeof given === "bigint") return String(given);
  throw new Error(`a parameter cannot be a ${typeof given}`);
}
