/** Makes a statement write each of its rows as one text, in DuckDB's threads. */
import { DuckDBListType, DuckDBStructType, type DuckDBType, DuckDBTypeId } from "@duckdb/node-api";
import { findAnswerTypes } from "../../user-sql/check/answer-types.ts";
import {
  call,
  caseOf,
  castToText,
  integer,
  NOWHERE,
  type Node,
  operator,
  plainSelect,
  subquery,
  textConstant,
} from "../../user-sql/check/tree.ts";
import { FORMATS } from "../../user-sql/formats.ts";
import { StatementRefused } from "../../user-sql/statement-refused.ts";
import type { UserQuery } from "../../user-sql/user-query.ts";

export interface ResultColumn {
  readonly name: string;
  readonly duckdbType: DuckDBType;
  /** ClickHouse's type, where it is another than that of the engine's type. */
  readonly announced?: string | undefined;
}

export function announceTypes(page: Node, columns: readonly ResultColumn[]): ResultColumn[] {
  const types = findAnswerTypes(page);
  return columns.map((column, at) => ({ ...column, announced: types[at] }));
}

/** As ClickHouse names it. */
export function shownType({ duckdbType, announced }: ResultColumn): string {
  return announced === undefined ? clickhouseType(duckdbType) : `Nullable(${announced})`;
}

/** The statement over `page` with one column, the text of a row. */
export function rowsAsText(page: Node, columns: readonly ResultColumn[], format: UserQuery["format"]): Node {
  const hidden = columns.map((_, at) => `c${at}`);
  const values = columns.map(({ duckdbType }, at) => cleanValue(columnRef(hidden[at] ?? ""), duckdbType));
  return plainSelect([WRITERS[FORMATS[format].rows](values, columns)], subquery(page, "answer", hidden));
}

const WRITERS = { object: jsonObject, array: jsonArray, values: jsonValues, csv: csvLine } as const;

function jsonObject(values: readonly Node[], columns: readonly ResultColumn[]): Node {
  const fields = values.map((value, at) => ({ ...value, alias: columns[at]?.name ?? "" }));
  return castToText(call("to_json", [call("struct_pack", fields)]));
}

function jsonArray(values: readonly Node[], columns: readonly ResultColumn[]): Node {
  const exact = values.map((value, at) => (isExact(columns[at]) ? castToText(value) : value));
  return castToText(call("json_array", exact));
}

function jsonValues(values: readonly Node[]): Node {
  return castToText(call("json_array", [...values]));
}

function isExact(column: ResultColumn | undefined): boolean {
  return LARGE.has(column?.duckdbType.typeId) || column?.announced?.startsWith("Decimal") === true;
}

/** Integers that a number of JSON may change. */
const LARGE: ReadonlySet<DuckDBTypeId | undefined> = new Set([
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
]);

function csvLine(values: readonly Node[]): Node {
  const fields = values.map((value) => call("answer_csv", [castToText(value)]));
  return call(
    "concat",
    fields.flatMap((field, at) => (at === 0 ? [field] : [textConstant(","), field])),
  );
}

function columnRef(name: string): Node {
  return { class: "COLUMN_REF", type: "COLUMN_REF", alias: "", ...NOWHERE, column_names: [name] };
}

/**
 * JSON has neither NaN nor Infinity, also not inside of arrays and rows. A fraction of a second has three digits. A tuple
 * is an array.
 */
function cleanValue(value: Node, type: DuckDBType, depth = 0): Node {
  const { typeId } = type;
  if (depth === 0) refuseHiddenTuples(type, true);
  if (isTuple(type)) {
    const items = type.entryTypes.map((item, at) =>
      cleanValue(call("struct_extract_at", [value, integer(at + 1)]), item, depth),
    );
    return call("json_array", items);
  }
  if (depth === 0 && (typeId === DuckDBTypeId.TIMESTAMP || typeId === DuckDBTypeId.TIMESTAMP_MS))
    return call("answer_time", [value]);
  if (!hasFloats(type)) return value;
  if (type instanceof DuckDBListType) {
    const item = columnRef(`item${depth}`);
    const lambda = { class: "LAMBDA", type: "LAMBDA", alias: "", ...NOWHERE, lhs: item };
    return call("list_transform", [value, { ...lambda, expr: cleanValue(item, type.valueType, depth + 1) }]);
  }
  if (type instanceof DuckDBStructType) {
    const { entryNames, entryTypes } = type;
    const fields = entryTypes.map((each, at) => {
      const field = call("struct_extract_at", [value, integer(at + 1)]);
      return { ...cleanValue(field, each, depth + 1), alias: entryNames[at] ?? "" };
    });
    const isThere = operator("OPERATOR_IS_NOT_NULL", [value]);
    return caseOf([{ when_expr: isThere, then_expr: call("struct_pack", fields) }], NULL);
  }
  return caseOf([{ when_expr: call("isfinite", [value]), then_expr: value }], NULL);
}

function hasFloats(type: DuckDBType): boolean {
  if (type instanceof DuckDBListType) return hasFloats(type.valueType);
  if (type instanceof DuckDBStructType) return type.entryTypes.some(hasFloats);
  return type.typeId === DuckDBTypeId.DOUBLE || type.typeId === DuckDBTypeId.FLOAT;
}

/** `(1, 'a')`, whose items have no names. */
function isTuple(type: DuckDBType): type is DuckDBStructType & { readonly isTuple?: true } {
  return type.typeId === DuckDBTypeId.STRUCT && (type as DuckDBStructType).entryNames.every((name) => name === "");
}

/** As JSON its items would all have the empty name, and readers keep the last. */
function refuseHiddenTuples(type: DuckDBType, isShown: boolean): void {
  if (isTuple(type) && !isShown)
    throw new StatementRefused("A tuple inside of an array, a map or a row is not supported: use arrays");
  if ("entryTypes" in type) for (const item of type.entryTypes) refuseHiddenTuples(item, isTuple(type));
  if ("valueType" in type) refuseHiddenTuples(type.valueType, false);
}

const NULL: Node = {
  class: "CONSTANT",
  type: "VALUE_CONSTANT",
  alias: "",
  ...NOWHERE,
  value: { type: { id: "NULL", type_info: null }, is_null: true },
};

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
  [DuckDBTypeId.UUID]: "UUID",
};

const WITHOUT_NULL: ReadonlySet<DuckDBTypeId> = new Set([DuckDBTypeId.LIST, DuckDBTypeId.STRUCT, DuckDBTypeId.MAP]);

/** The name of a type in ClickHouse. Every column may have NULL, except those that ClickHouse cannot make nullable. */
function clickhouseType(type: DuckDBType): string {
  return WITHOUT_NULL.has(type.typeId) ? plainType(type) : `Nullable(${plainType(type)})`;
}

function plainType(type: DuckDBType): string {
  const { typeId } = type;
  if (isTuple(type)) return `Tuple(${type.entryTypes.map(clickhouseType).join(", ")})`;
  if (typeId === DuckDBTypeId.STRUCT) {
    const { entryNames, entryTypes } = type as unknown as DuckDBStructType;
    const fields = entryTypes.map((item, at) => `\`${entryNames[at]}\` ${clickhouseType(item)}`);
    return `Tuple(${fields.join(", ")})`;
  }
  if ("keyType" in type) return `Map(${plainType(type.keyType)}, ${clickhouseType(type.valueType)})`;
  if ("valueType" in type && type.typeId === DuckDBTypeId.LIST) return `Array(${clickhouseType(type.valueType)})`;
  return TYPES[type.typeId] ?? "String";
}
