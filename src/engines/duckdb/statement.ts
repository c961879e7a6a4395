/**
 * Translates the common SQL for DuckDB: `{name:Type}` becomes a bound parameter with a cast to its type, or in a read the
 * value itself.
 */
import { type DuckDBConnection, type DuckDBResultReader, type DuckDBValue, listValue } from "@duckdb/node-api";
import type { SelectParams } from "../select.ts";

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

/**
 * Runs a read with its values written into the text. DuckDB plans a statement with bound values twice: first without the
 * values, when it is prepared, and again with them. Over all reports that took 3.7 of 19.8 ms of processor
 * (docs/decisions/0037-values-in-reads.md). Never keep a plan: one made for an empty table finds no rows later.
 */
export function runRead(connection: DuckDBConnection, sql: string, params: SelectParams): Promise<DuckDBResultReader> {
  const { sql: text, values } = toReadStatement(sql, params);
  return Object.keys(values).length === 0 ? connection.runAndReadAll(text) : connection.runAndReadAll(text, values);
}

const READ_PARAMETER = /(\bIN )?\{(\w+):(\w+)(?:\((\w+)\))?\}/g;

/** Each element of a written list is planned by itself, and a bound one is planned as a whole. */
const MOST_WRITTEN = 50;

/**
 * `x IN {list:Array(T)}` with one value becomes `x IN (a)`, which a scan itself compares, and skips row groups without it.
 * With two, a scan took 1.2 to 1.5 times as long for that as for a list, which is compared row by row after it (a funnel
 * and lists of events of two projects, 400,000 events). Values that cannot be written, or are too many, are bound.
 */
export function toReadStatement(sql: string, params: SelectParams): Statement {
  let values: Record<string, DuckDBValue> = {};
  const text = sql.replace(
    READ_PARAMETER,
    (place, isIn: string | undefined, name: string, type: string, of?: string) => {
      const param = params[name];
      const list = Array.isArray(param) ? param : [param];
      if (list.length === 0 || list.length > MOST_WRITTEN || !list.every(canWrite)) {
        const bound = toStatement(place, params);
        values = { ...values, ...bound.values };
        return bound.sql;
      }
      const isList = type === "Array" && of !== undefined;
      if (!isList) return `${isIn ?? ""}${write(param, typeOf(type))}`;
      const elements = list.map((each) => write(each, typeOf(of))).join(", ");
      return isIn !== undefined && list.length === 1 ? `IN (${elements})` : `${isIn ?? ""}[${elements}]`;
    },
  );
  return { sql: text, values };
}

/** In quotes such a text means itself, and nothing has to be escaped. The others are rare, and bound. */
const PLAIN = /^[^'"\\$\p{Cc}\p{Cs}]*$/u;

function canWrite(value: unknown): boolean {
  return ["number", "bigint"].includes(typeof value) || (typeof value === "string" && PLAIN.test(value));
}

function write(value: unknown, type: string): string {
  return `CAST('${String(value)}' AS ${type})`;
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
