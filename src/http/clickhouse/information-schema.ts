/** `information_schema`, which Kysely and other generic tools read: constant, made from the catalogue of tables. */
import type { CatalogueTable, SystemTable } from "./system-table.ts";

type ConstantType = SystemTable["columns"][number]["type"];
type Value = string | number | null;

function relation(
  name: string,
  types: Readonly<Record<string, ConstantType>>,
  rows: readonly Readonly<Record<string, Value>>[],
): SystemTable {
  const columns = Object.entries(types).map(([column, type]) => ({ name: column, type }));
  const empty = (type: string) => (type.startsWith("Nullable") ? null : type === "String" ? "" : 0);
  return {
    name: `information_schema.${name}`,
    columns,
    rows: rows.map((row) => columns.map(({ name: column, type }) => row[column] ?? empty(type))),
  };
}

const SCHEMATA = {
  catalog_name: "String",
  schema_name: "String",
  schema_owner: "String",
  default_character_set_catalog: "Nullable(String)",
  default_character_set_schema: "Nullable(String)",
  default_character_set_name: "Nullable(String)",
  sql_path: "Nullable(String)",
} as const;

const TABLES = {
  table_catalog: "String",
  table_schema: "String",
  table_name: "String",
  table_type: "String",
  table_rows: "Nullable(UInt64)",
  data_length: "Nullable(UInt64)",
  index_length: "Nullable(UInt64)",
  table_collation: "Nullable(String)",
  table_comment: "Nullable(String)",
} as const;

const COLUMNS = {
  table_catalog: "String",
  table_schema: "String",
  table_name: "String",
  column_name: "String",
  ordinal_position: "UInt64",
  column_default: "String",
  is_nullable: "String",
  data_type: "String",
  character_maximum_length: "Nullable(UInt64)",
  character_octet_length: "Nullable(UInt64)",
  numeric_precision: "Nullable(UInt64)",
  numeric_precision_radix: "Nullable(UInt64)",
  numeric_scale: "Nullable(UInt64)",
  datetime_precision: "Nullable(UInt64)",
  character_set_name: "Nullable(String)",
  collation_name: "Nullable(String)",
  column_comment: "String",
  column_type: "String",
  column_key: "String",
  extra: "Nullable(String)",
} as const;

const KEYS = {
  constraint_catalog: "String",
  constraint_schema: "String",
  constraint_name: "String",
  table_catalog: "String",
  table_schema: "String",
  table_name: "String",
  column_name: "String",
  ordinal_position: "UInt64",
  referenced_table_schema: "Nullable(String)",
  referenced_table_name: "Nullable(String)",
  referenced_column_name: "Nullable(String)",
} as const;

const VIEWS = {
  table_catalog: "String",
  table_schema: "String",
  table_name: "String",
  view_definition: "String",
  is_updatable: "String",
} as const;

/** In ClickHouse catalogue and schema are both the database. */
export function informationSchema(database: string, tables: readonly CatalogueTable[]): SystemTable[] {
  const place = { table_catalog: database, table_schema: database };
  const views = tables.map(({ name }) => ({ ...place, table_name: name, is_updatable: "NO" }));
  return [
    relation("schemata", SCHEMATA, [{ catalog_name: database, schema_name: database, schema_owner: "default" }]),
    relation(
      "tables",
      TABLES,
      tables.map(({ name, description }) => ({
        ...place,
        table_name: name,
        table_type: "VIEW",
        table_comment: description,
      })),
    ),
    relation(
      "columns",
      COLUMNS,
      tables.flatMap(({ name: table, columns }) =>
        columns.map(({ name, type, description }, i) => ({
          ...place,
          ...{ table_name: table, column_name: name, ordinal_position: i + 1, is_nullable: "NO" },
          ...{ data_type: type, column_type: type, column_comment: description },
        })),
      ),
    ),
    relation("views", VIEWS, views),
    // No table has keys.
    relation("key_column_usage", KEYS, []),
    relation("referential_constraints", KEYS, []),
  ];
}
