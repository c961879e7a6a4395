/** Columns of a statement's answer as columns of a Parquet file. */
import type { SchemaElement } from "hyparquet-writer";

export interface ParquetColumn {
  readonly name: string;
  /** One element, or three for a list. */
  readonly schema: readonly SchemaElement[];
  /** A value of JSON, which is not null, as the writer wants it. */
  convert(value: unknown): unknown;
}

const DAY_MS = 86_400_000;

type Kind = Omit<SchemaElement, "name" | "repetition_type"> & Pick<ParquetColumn, "convert">;

const TEXT: Kind = {
  type: "BYTE_ARRAY",
  converted_type: "UTF8",
  convert: (value) => (typeof value === "string" ? value : JSON.stringify(value)),
};
const SMALL: Kind = { type: "INT32", convert: Number };
const LARGE: Kind = { type: "INT64", convert: (value) => BigInt(String(value)) };
const REAL: Kind = { type: "DOUBLE", convert: Number };

/** By the name of the type in ClickHouse, without arguments. Other types are texts. */
const KINDS: Readonly<Record<string, Kind>> = {
  Bool: { type: "BOOLEAN", convert: Boolean },
  Int8: SMALL,
  Int16: SMALL,
  Int32: SMALL,
  UInt8: SMALL,
  UInt16: SMALL,
  UInt32: LARGE,
  Int64: LARGE,
  UInt64: { ...LARGE, converted_type: "UINT_64", convert: (value) => BigInt.asIntN(64, BigInt(String(value))) },
  // As DuckDB writes them: few readers know integers of 128 bits.
  Int128: REAL,
  Float32: REAL,
  Float64: REAL,
  Decimal: REAL,
  Date: {
    type: "INT32",
    converted_type: "DATE",
    convert: (value) => finite(Math.floor(Date.parse(String(value)) / DAY_MS)),
  },
  DateTime: {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    convert: (value) => {
      const ms = finite(Date.parse(`${String(value).replace(" ", "T")}Z`));
      return ms === null ? null : BigInt(ms);
    },
  },
};

/** A time that JavaScript cannot hold is empty. */
function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

export function parquetColumn({ name, type }: { readonly name: string; readonly type: string }): ParquetColumn {
  const wrapped = /^(?:Nullable|LowCardinality)\((.*)\)$/.exec(type)?.[1];
  if (wrapped !== undefined) return parquetColumn({ name, type: wrapped });
  const items = /^Array\((.*)\)$/.exec(type)?.[1];
  if (items !== undefined) return listColumn(name, parquetColumn({ name: "element", type: items }));
  const kind = KINDS[type.replace(/\(.*/, "").replace("DateTime64", "DateTime").replace("Date32", "Date")] ?? TEXT;
  const { convert, ...element } = kind;
  return { name, schema: [{ name, repetition_type: "OPTIONAL", ...element }], convert };
}

function listColumn(name: string, element: ParquetColumn): ParquetColumn {
  return {
    name,
    schema: [
      { name, repetition_type: "OPTIONAL", num_children: 1, converted_type: "LIST" },
      { name: "list", repetition_type: "REPEATED", num_children: 1 },
      ...element.schema,
    ],
    convert: (value) => (value as readonly unknown[]).map((item) => (item === null ? null : element.convert(item))),
  };
}
