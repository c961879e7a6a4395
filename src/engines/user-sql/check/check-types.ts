/** The types that a statement may cast to, by DuckDB's name or by ClickHouse's. */
import { fieldsOf, list, type Node, refuse, text } from "./tree.ts";

const PLAIN = [
  "BOOLEAN",
  "TINYINT",
  "SMALLINT",
  "INTEGER",
  "BIGINT",
  "HUGEINT",
  "UTINYINT",
  "USMALLINT",
  "UINTEGER",
  "UBIGINT",
  "FLOAT",
  "DOUBLE",
  "VARCHAR",
  "DATE",
  "TIME",
  "TIMESTAMP",
  "TIMESTAMP_MS",
  "TIMESTAMP_S",
  "INTERVAL",
  "UUID",
] as const;

/** Names that DuckDB does not know, or knows as another type: its INT8 has eight bytes. */
const BY_NAME: Readonly<Record<string, (typeof PLAIN)[number]>> = {
  string: "VARCHAR",
  int16: "SMALLINT",
  int32: "INTEGER",
  int64: "BIGINT",
  int128: "HUGEINT",
  uint8: "UTINYINT",
  uint16: "USMALLINT",
  uint32: "UINTEGER",
  uint64: "UBIGINT",
  float32: "FLOAT",
  float64: "DOUBLE",
  datetime: "TIMESTAMP",
  datetime64: "TIMESTAMP",
  date32: "DATE",
  bool: "BOOLEAN",
};

export function checkType(value: unknown): Node {
  const type = fieldsOf(value, "id", "type_info");
  const id = text(type.id);
  if (id === "UNBOUND") return toPlain(type.type_info);
  if (id === "DECIMAL") return decimal(type.type_info);
  if (!(PLAIN as readonly string[]).includes(id) || type.type_info !== null) return refuse(unknownType(id));
  return { id, type_info: null };
}

export function isText(type: Node): boolean {
  return type.id === "VARCHAR";
}

function toPlain(info: unknown): Node {
  const fields = ["type", "alias", "extension_info", "name", "catalog", "schema", "user_type_modifiers"];
  const named = fieldsOf(info, ...fields);
  const name = text(named.name);
  const id = BY_NAME[name.toLowerCase()];
  // DateTime64(3) has a modifier.
  if (id === undefined || list(named.user_type_modifiers).length > 1) return refuse(unknownType(name));
  if (named.catalog !== "" || named.schema !== "") return refuse(unknownType(name));
  return { id, type_info: null };
}

function decimal(info: unknown): Node {
  const { width, scale } = fieldsOf(info, "type", "alias", "extension_info", "width", "scale") as {
    width?: unknown;
    scale?: unknown;
  };
  if (typeof width !== "number" || typeof scale !== "number") return refuse(unknownType("DECIMAL"));
  return { id: "DECIMAL", type_info: { type: "DECIMAL_TYPE_INFO", alias: "", extension_info: null, width, scale } };
}

function unknownType(name: string): string {
  return `The type ${name.slice(0, 40)} is not supported`;
}
