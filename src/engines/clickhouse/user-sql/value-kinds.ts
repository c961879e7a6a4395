/**
 * What an expression of a checked tree is, as far as its form tells, where ClickHouse needs to know and DuckDB does not.
 */
import type { Node } from "../../user-sql/check/tree.ts";

const ARRAYS = new Set(["list", "list_value", "string_split", "list_distinct", "list_sort", "list_reverse_sort"]);
/** Arrays if their first argument is one. */
const OF_ARRAYS = new Set(["any_value", "min", "max", "arg_min", "arg_max", "user_same", "first_value", "last_value"]);
const ARRAY_OPERATORS = new Set(["ARRAY_SLICE", "ARRAY_CONSTRUCTOR"]);

/**
 * Whether an expression is an array. A column is one if everything of its name in the tree is: of a name that means both,
 * ClickHouse refuses the array, where it would silently count the bytes of the text.
 */
export function createIsArray(tree: Node): (node: Node | undefined) => boolean {
  const defined = new Map<string, Node[]>();
  visit(tree, (each) => {
    if (typeof each.alias !== "string" || each.alias === "" || each.class === undefined) return;
    const name = each.alias.toLowerCase();
    defined.set(name, [...(defined.get(name) ?? []), each]);
  });
  const known = new Map<string, boolean>();

  function isArrayColumn(name: string): boolean {
    const found = known.get(name);
    if (found !== undefined) return found;
    // While it is looked for: a column that is only itself is not an array.
    known.set(name, false);
    const others = (defined.get(name) ?? []).filter((each) => nameOf(each) !== name);
    known.set(name, others.length > 0 && others.every(isArray));
    return known.get(name) ?? false;
  }

  function isArray(node: Node | undefined): boolean {
    if (node === undefined) return false;
    const [first] = (node.children as readonly Node[] | undefined) ?? [];
    switch (node.class) {
      case "COLUMN_REF":
        return isArrayColumn(nameOf(node) ?? "");
      case "OPERATOR":
        return ARRAY_OPERATORS.has(String(node.type)) || (node.type === "OPERATOR_COALESCE" && isArray(first));
      case "CASE":
        return isArray((node.case_checks as readonly { then_expr: Node }[])[0]?.then_expr);
      case "FUNCTION":
      case "WINDOW": {
        const name = String(node.function_name);
        return ARRAYS.has(name) || name === "user_merge_arrays" || (OF_ARRAYS.has(name) && isArray(first));
      }
      default:
        return false;
    }
  }

  return isArray;
}

/** The lower-case name of a column, without its table. */
function nameOf(node: Node): string | undefined {
  if (node.class !== "COLUMN_REF") return undefined;
  return (node.column_names as readonly string[]).at(-1)?.toLowerCase();
}

const CONDITIONS = new Set([
  ...["user_is_null", "user_is_not_null", "user_empty", "user_not_empty", "user_json_bool", "user_json_has"],
  ...["starts_with", "suffix", "contains", "regexp_matches", "regexp_full_match", "list_contains", "user_search_any"],
]);
const CONDITION_CLASSES = new Set(["COMPARISON", "CONJUNCTION", "BETWEEN"]);
const CONDITION_OPERATORS = new Set([
  ...["OPERATOR_NOT", "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "COMPARE_IN", "COMPARE_NOT_IN"],
]);

/** Whether an expression is true or false: in ClickHouse it is 1 or 0. */
export function isCondition(node: Node): boolean {
  if (CONDITION_CLASSES.has(String(node.class))) return true;
  if (node.class === "OPERATOR") return CONDITION_OPERATORS.has(String(node.type));
  if (node.class === "SUBQUERY") return node.subquery_type !== "SCALAR";
  if (node.class === "FUNCTION") return CONDITIONS.has(String(node.function_name));
  if (node.class !== "CASE") return false;
  const results = (node.case_checks as readonly { then_expr: Node }[]).map(({ then_expr }) => then_expr);
  return [...results, node.else_expr as Node].every(isCondition);
}

const UNSIGNED = new Set([
  ...["count", "count_star", "row_number", "rank", "dense_rank", "ntile", "length", "user_position"],
  ...["user_position_any_case", "user_index_of", "list_unique"],
]);

/** Whether a function gives UInt64, which ClickHouse refuses to compare or join with a negative number. */
export function isUnsigned(name: string): boolean {
  return UNSIGNED.has(name);
}

const INTERVAL = /^to_(?:years|quarters|months|weeks|days|hours|minutes|seconds|milliseconds)$/;

export function isInterval(node: Node | undefined): boolean {
  return node?.class === "FUNCTION" && INTERVAL.test(String(node.function_name));
}

export function isNull(node: Node): boolean {
  return node.class === "CONSTANT" && (node.value as { is_null: unknown }).is_null === true;
}

export function visit(value: unknown, see: (node: Node) => void): void {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) see(value as Node);
  for (const each of Object.values(value)) visit(each, see);
}
