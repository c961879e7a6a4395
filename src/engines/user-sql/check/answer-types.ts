/**
 * The types that ClickHouse gives to columns of an answer, as far as the form of their expressions tells. They are only
 * announced: inside of a statement such numbers have 64 bits on every engine, so that no sum of them overflows.
 */
import type { Node } from "./tree.ts";

const OF_FUNCTIONS: Readonly<Record<string, string>> = Object.fromEntries([
  ...["hour", "minute", "second", "month", "quarter", "isodow", "day", "week"].map((name) => [name, "UInt8"]),
  ...["year", "dayofyear"].map((name) => [name, "UInt16"]),
  ...["user_year_month", "user_year_month_day"].map((name) => [name, "UInt32"]),
  ...["Int8", "Int16", "Int32", "UInt8", "UInt16", "UInt32"].map((type) => [`user_to_${type.toLowerCase()}`, type]),
  ...["count", "count_star", "row_number", "rank", "dense_rank", "length"].map((name) => [name, "UInt64"]),
  ...["user_position", "user_position_any_case", "user_index_of", "list_unique"].map((name) => [name, "UInt64"]),
  ...["now", "to_second", "from_unix", "start_minute", "start_five_minutes", "start_ten_minutes"].map((name) => [
    `user_${name}`,
    "DateTime",
  ]),
  ...["start_fifteen_minutes", "start_hour", "start_day", "start_interval"].map((name) => [`user_${name}`, "DateTime"]),
]);
/** The type of their first argument. */
const SAME = /^(?:min|max|any_value|arg_min|arg_max|user_same|first_value|last_value|user_(?:add|subtract)_\w+)$/;
const INTERVAL = /^to_(?:years|quarters|months|weeks|days|hours|minutes|seconds)$/;

type Columns = ReadonlyMap<string, string | undefined>;
type Relations = ReadonlyMap<string, Columns>;

/** For each column of a checked SELECT before its first `*`. */
export function findAnswerTypes(tree: Node): (string | undefined)[] {
  return columnsOf(tree, new Map()).map(([, type]) => type);
}

/** Each subquery is looked at once, however deep it lies. */
function columnsOf(tree: Node, outer: Relations): readonly (readonly [name: string, type: string | undefined])[] {
  if (tree.type !== "SELECT_NODE") return [];
  const { map } = tree.cte_map as { map: readonly { key: string; value: Node }[] };
  const ctes = new Map(outer);
  for (const { key, value } of map)
    ctes.set(key.toLowerCase(), new Map(columnsOf((value.query as { node: Node }).node, ctes)));
  const columns = tree.select_list as readonly Node[];
  const from = tree.from_table as Node;
  if (columns.length === 1 && isPlainStar(columns[0]) && from.type === "SUBQUERY")
    return columnsOf((from.subquery as { node: Node }).node, ctes);
  const tables = relationsIn(from, ctes);
  const end = columns.findIndex((column) => column.class === "STAR");
  const shown = end === -1 ? columns : columns.slice(0, end);
  return shown.map((column) => [nameOf(column), typeOf(column, tables)] as const);
}

function isPlainStar(node: Node | undefined): boolean {
  if (node?.class !== "STAR") return false;
  return (node.exclude_list as readonly unknown[]).length + (node.replace_list as readonly unknown[]).length === 0;
}

function nameOf({ alias, column_names }: Node): string {
  return (String(alias) || ((column_names as readonly string[] | undefined)?.at(-1) ?? "")).toLowerCase();
}

function relationsIn(from: Node, ctes: Relations): Relations {
  if (from.type === "JOIN")
    return new Map([...relationsIn(from.left as Node, ctes), ...relationsIn(from.right as Node, ctes)]);
  const alias = String(from.alias).toLowerCase();
  if (from.type === "SUBQUERY")
    return new Map([[alias, new Map(columnsOf((from.subquery as { node: Node }).node, ctes))]]);
  const cte = from.type === "BASE_TABLE" ? ctes.get(String(from.table_name).toLowerCase()) : undefined;
  return cte === undefined ? new Map() : new Map([[alias, cte]]);
}

/** Undefined where the engine's own type is meant. */
export function typeOf(node: Node | undefined, tables: Relations = new Map()): string | undefined {
  switch (node?.class) {
    case "CONSTANT":
      return typeOfNumber(node.value as { type: { id: string }; value?: unknown });
    case "COLUMN_REF": {
      const names = (node.column_names as readonly string[]).map((name) => name.toLowerCase());
      const known = names.length > 1 ? [tables.get(names.at(-2) ?? "")] : [...tables.values()];
      const owners = known.filter((columns) => columns?.has(names.at(-1) ?? ""));
      return owners.length === 1 ? owners[0]?.get(names.at(-1) ?? "") : undefined;
    }
    case "CAST": {
      const { id, type_info } = node.cast_type as { id: string; type_info: { width: number; scale: number } | null };
      return id === "DECIMAL" ? `Decimal(${type_info?.width}, ${type_info?.scale})` : undefined;
    }
    case "FUNCTION":
    case "WINDOW": {
      const name = String(node.function_name);
      const [first, second] = node.children as readonly Node[];
      if (Object.hasOwn(OF_FUNCTIONS, name)) return OF_FUNCTIONS[name];
      const isMoved = (name === "+" || name === "-") && INTERVAL.test(String(second?.function_name));
      if (!isMoved && !SAME.test(name)) return undefined;
      const type = typeOf(first, tables);
      return isMoved && type !== "DateTime" ? undefined : type;
    }
    default:
      return undefined;
  }
}

function typeOfNumber({ type, value }: { type: { id: string }; value?: unknown }): string | undefined {
  if (type.id !== "INTEGER" || typeof value !== "number") return undefined;
  if (value < 0) return value >= -128 ? "Int8" : value >= -32_768 ? "Int16" : "Int32";
  return value < 256 ? "UInt8" : value < 65_536 ? "UInt16" : "UInt32";
}
