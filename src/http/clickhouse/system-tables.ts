/** The tables of `system` that BI tools read to learn what there is: constant, made from the catalogue of tables. */
import { createHash } from "node:crypto";
import { FORMAT_NAMES } from "./formats/index.ts";
import { informationSchema } from "./information-schema.ts";
import type { CatalogueTable, Described, SystemTable } from "./system-table.ts";

interface CatalogueFunction extends Described {
  readonly kind: string;
}

type ColumnTypes = Readonly<Record<string, SystemTable["columns"][number]["type"]>>;
type Value = string | number | null;

/** A relation whose other columns have their type's empty value. */
function relation(name: string, types: ColumnTypes, rows: readonly Readonly<Record<string, Value>>[]): SystemTable {
  const columns = Object.entries(types).map(([column, type]) => ({ name: column, type }));
  const empty = (type: string) =>
    /Int/.test(type) && !type.startsWith("Nullable") ? 0 : type === "String" ? "" : null;
  return {
    name: `system.${name}`,
    columns,
    rows: rows.map((row) => columns.map(({ name: column, type }) => row[column] ?? empty(type))),
  };
}

const TABLES: ColumnTypes = {
  database: "String",
  name: "String",
  table: "String",
  uuid: "String",
  engine: "String",
  is_temporary: "UInt8",
  data_paths: "Array(String)",
  metadata_path: "String",
  metadata_modification_time: "DateTime",
  metadata_version: "UInt64",
  dependencies_database: "Array(String)",
  dependencies_table: "Array(String)",
  create_table_query: "String",
  engine_full: "String",
  as_select: "String",
  partition_key: "String",
  sorting_key: "String",
  primary_key: "String",
  sampling_key: "String",
  storage_policy: "String",
  total_rows: "Nullable(UInt64)",
  total_bytes: "Nullable(UInt64)",
  total_bytes_uncompressed: "Nullable(UInt64)",
  parts: "Nullable(UInt64)",
  active_parts: "Nullable(UInt64)",
  total_marks: "Nullable(UInt64)",
  lifetime_rows: "Nullable(UInt64)",
  lifetime_bytes: "Nullable(UInt64)",
  comment: "String",
  has_own_data: "UInt8",
  loading_dependencies_database: "Array(String)",
  loading_dependencies_table: "Array(String)",
};

/** Tools tell tables apart by it. Of the name alone, so that it stays the same. */
function uuidOf(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

/** What SHOW CREATE TABLE answers. */
export function createStatement(database: string, { name, description, columns }: CatalogueTable): string {
  const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = columns.map(
    (column) => `    \`${column.name}\` ${column.type}${column.description && ` COMMENT ${quote(column.description)}`}`,
  );
  return `CREATE VIEW ${database}.${name}\n(\n${lines.join(",\n")}\n)\nCOMMENT ${quote(description)}`;
}

const FUNCTIONS: ColumnTypes = {
  name: "String",
  is_aggregate: "UInt8",
  is_deterministic: "UInt8",
  case_insensitive: "UInt8",
  alias_to: "String",
  create_query: "String",
  origin: "String",
  description: "String",
  syntax: "String",
  arguments: "String",
  parameters: "String",
  returned_value: "String",
  examples: "String",
  introduced_in: "String",
  categories: "String",
};

const ENGINES: ColumnTypes = {
  name: "String",
  supports_settings: "UInt8",
  supports_skipping_indices: "UInt8",
  supports_projections: "UInt8",
  supports_sort_order: "UInt8",
  supports_ttl: "UInt8",
  supports_replication: "UInt8",
  supports_deduplication: "UInt8",
  supports_parallel_insert: "UInt8",
};

const COLUMNS: ColumnTypes = {
  database: "String",
  table: "String",
  name: "String",
  type: "String",
  position: "UInt64",
  default_kind: "String",
  default_expression: "String",
  comment: "String",
  is_in_partition_key: "UInt8",
  is_in_sorting_key: "UInt8",
  is_in_primary_key: "UInt8",
  is_in_sampling_key: "UInt8",
  compression_codec: "String",
  data_compressed_bytes: "UInt64",
  data_uncompressed_bytes: "UInt64",
  marks_bytes: "UInt64",
  character_octet_length: "Nullable(UInt64)",
  numeric_precision: "Nullable(UInt64)",
  numeric_precision_radix: "Nullable(UInt64)",
  numeric_scale: "Nullable(UInt64)",
  datetime_precision: "Nullable(UInt64)",
};

const DATABASES: ColumnTypes = {
  name: "String",
  engine: "String",
  data_path: "String",
  metadata_path: "String",
  uuid: "String",
  engine_full: "String",
  comment: "String",
};

const SETTINGS: ColumnTypes = {
  name: "String",
  value: "String",
  changed: "UInt8",
  description: "String",
  min: "Nullable(UInt64)",
  max: "Nullable(UInt64)",
  readonly: "UInt8",
  type: "String",
  default: "String",
};

/** What clients look for before they use it. Others are not listed, so a client does not send them. */
const SETTING_ROWS = [
  { name: "enable_http_compression", value: "0", type: "Bool" },
  { name: "max_result_rows", value: "0", type: "UInt64" },
  { name: "result_overflow_mode", value: "throw", type: "OverflowMode" },
  { name: "output_format_json_quote_64bit_integers", value: "1", type: "Bool" },
  { name: "readonly", value: "1", readonly: 1, type: "UInt64" },
  { name: "session_timezone", value: "UTC", readonly: 1, type: "Timezone" },
];

const TYPE_NAMES = [
  "String",
  "Bool",
  "Date",
  "DateTime",
  "DateTime64",
  "Float64",
  "Int64",
  "UInt64",
  "Array",
  "Nullable",
];

/** Clients join and filter these; they are small, so all are made for each session that asks for one. */
export function systemTables(
  database: string,
  tables: readonly CatalogueTable[],
  functions: readonly CatalogueFunction[],
): SystemTable[] {
  return [
    relation(
      "tables",
      TABLES,
      tables.map((table) => tableRow(database, table)),
    ),
    relation(
      "columns",
      COLUMNS,
      tables.flatMap((table) => columnRows(database, table)),
    ),
    relation("databases", DATABASES, [{ name: database, engine: "Atomic", engine_full: "Atomic" }]),
    relation("settings", SETTINGS, SETTING_ROWS),
    relation("functions", FUNCTIONS, functions.map(functionRow)),
    relation("data_type_families", { name: "String", case_insensitive: "UInt8", alias_to: "String" }, [
      ...TYPE_NAMES.map((name) => ({ name })),
    ]),
    relation("formats", { name: "String", is_input: "UInt8", is_output: "UInt8" }, [
      ...FORMAT_NAMES.map((name) => ({ name, is_output: 1 })),
    ]),
    relation("clusters", { cluster: "String", shard_num: "UInt64", host_name: "String", is_local: "UInt8" }, []),
    relation("dictionaries", { database: "String", name: "String", type: "String", comment: "String" }, []),
    relation("one", { dummy: "UInt8" }, [{ dummy: 0 }]),
    relation("table_engines", ENGINES, [{ name: "View" }]),
    relation("table_functions", { name: "String", description: "String", allow_readonly: "UInt8" }, []),
    relation("keywords", { keyword: "String" }, []),
    relation("merge_tree_settings", SETTINGS, []),
    relation("aggregate_function_combinators", { name: "String", is_internal: "UInt8" }, [{ name: "If" }]),
    relation("macros", { macro: "String", substitution: "String" }, []),
    relation("disks", { name: "String", path: "String", type: "String" }, []),
    ...informationSchema(database, tables),
  ];
}

function tableRow(database: string, table: CatalogueTable) {
  return {
    ...{ database, name: table.name, table: table.name, uuid: uuidOf(table.name), engine: "View" },
    ...{ comment: table.description, create_table_query: createStatement(database, table) },
  };
}

function columnRows(database: string, { name: table, columns }: CatalogueTable) {
  return columns.map(({ name, type, description }, i) => ({
    ...{ database, table, name, type },
    ...{ position: i + 1, comment: description },
  }));
}

function functionRow({ name, kind, description }: CatalogueFunction) {
  return {
    ...{ name, description, case_insensitive: 1, is_deterministic: 1, origin: "System" },
    is_aggregate: kind === "aggregate" ? 1 : 0,
  };
}

/** With the database before them. */
export const SYSTEM_TABLE_NAMES: ReadonlySet<string> = new Set(systemTables("", [], []).map(({ name }) => name));

/** The columns of DESCRIBE. */
export const DESCRIBE_COLUMNS = [
  "name",
  "type",
  "default_type",
  "default_expression",
  "comment",
  "codec_expression",
  "ttl_expression",
].map((name) => ({ name, type: "String" }));
