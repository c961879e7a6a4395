/**
 * ClickHouse's type names, as far as columns of an answer have them. LowCardinality only says how the server stores a
 * column, so it is left out. Any other type is announced as String, and its values are sent as text.
 */
export type ScalarType =
  | { readonly kind: "String" | "Bool" | "Date" | "Date32" | "DateTime" | "Float32" | "Float64" | "UUID" }
  | { readonly kind: "Decimal"; readonly precision: number; readonly scale: number }
  | { readonly kind: "Int"; readonly bytes: 1 | 2 | 4 | 8; readonly signed: boolean }
  | { readonly kind: "DateTime64"; readonly scale: number };

export type ColumnType =
  | ScalarType
  | { readonly kind: "Nullable"; readonly of: ColumnType }
  | { readonly kind: "Array"; readonly of: ColumnType }
  | { readonly kind: "Map"; readonly key: ColumnType; readonly of: ColumnType }
  | { readonly kind: "Tuple"; readonly items: readonly ColumnType[]; readonly names: readonly string[] | undefined };

/** As in ClickHouse's JSON: times and days are texts, large integers either. */
export type Cell = string | number | bigint | boolean | null | readonly Cell[] | { readonly [name: string]: Cell };

export interface AnswerColumn {
  readonly name: string;
  /** The name that clients see. */
  readonly typeName: string;
  readonly type: ColumnType;
}

const SIMPLE = new Set(["String", "Bool", "Date", "Date32", "DateTime", "Float32", "Float64", "UUID"]);
const STRING: ColumnType = { kind: "String" };

export function toAnswerColumn({ name, type }: { name: string; type: string }): AnswerColumn {
  const read = readType(type);
  return { name, ...read };
}

/** The type and the name under which it is announced. */
function readType(text: string): { type: ColumnType; typeName: string } {
  const [, name = "", inside] = /^(\w+)(?:\((.*)\))?$/s.exec(text.trim()) ?? [];
  const args = inside === undefined ? [] : splitArguments(inside);
  const inner = () => readType(args[0] ?? "String");
  switch (name) {
    case "LowCardinality":
      return inner();
    case "Nullable":
    case "Array": {
      const of = inner();
      return { type: { kind: name, of: of.type }, typeName: `${name}(${of.typeName})` };
    }
    case "Map": {
      const [key, of] = [inner(), readType(args[1] ?? "String")];
      return { type: { kind: "Map", key: key.type, of: of.type }, typeName: `Map(${key.typeName}, ${of.typeName})` };
    }
    case "Tuple":
      return readTuple(args);
    case "Decimal": {
      const [precision = 18, scale = 0] = args.map(Number);
      return { type: { kind: "Decimal", precision, scale }, typeName: `Decimal(${precision}, ${scale})` };
    }
    case "DateTime64": {
      const scale = Number(args[0] ?? 3);
      return { type: { kind: "DateTime64", scale }, typeName: `DateTime64(${scale}, 'UTC')` };
    }
    case "DateTime":
      return { type: { kind: "DateTime" }, typeName: "DateTime('UTC')" };
    default:
      return readScalar(name);
  }
}

/** `Tuple(String, UInt8)`, or with a name before each type. */
function readTuple(args: readonly string[]): { type: ColumnType; typeName: string } {
  const parts = args.map((arg) => /^(?:(`[^`]*`|\w+)\s+)?(\w.*)$/s.exec(arg) ?? ["", undefined, arg]);
  const items = parts.map(([, , type = "String"]) => readType(type));
  const names = parts.map(([, name]) => name?.replaceAll("`", ""));
  const isNamed = names.every((name) => name !== undefined) && names.length > 0;
  const shown = items.map(({ typeName }, i) => (isNamed ? `${quoteName(names[i] ?? "")} ${typeName}` : typeName));
  const type = { kind: "Tuple", items: items.map((item) => item.type), names: isNamed ? names : undefined } as const;
  return { type: type as ColumnType, typeName: `Tuple(${shown.join(", ")})` };
}

function quoteName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name}\``;
}

function readScalar(name: string): { type: ColumnType; typeName: string } {
  const int = /^(U?)Int(8|16|32|64)$/.exec(name);
  if (int) {
    const bytes = (Number(int[2]) / 8) as 1 | 2 | 4 | 8;
    return { type: { kind: "Int", bytes, signed: int[1] === "" }, typeName: name };
  }
  // Sums of integers, which have 128 bits on DuckDB and 64 on ClickHouse.
  if (/^U?Int(?:128|256)$/.test(name)) return readScalar(name.startsWith("U") ? "UInt64" : "Int64");
  if (SIMPLE.has(name)) return { type: { kind: name } as ColumnType, typeName: name };
  return { type: STRING, typeName: "String" };
}

/** `1.50` is `1.5`, and `1.00` is `1`. */
function withoutZeros(text: string): string {
  if (!text.includes(".")) return text;
  let end = text.length;
  while (text[end - 1] === "0") end -= 1;
  return text.slice(0, text[end - 1] === "." ? end - 1 : end);
}

/** The text of a value that is neither a number nor nested; one of a type that is not known may be an object. */
export function toText(type: ColumnType, value: Cell): string {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  if (type.kind === "Decimal") return withoutZeros(text);
  if (type.kind === "DateTime") return text.slice(0, 19);
  if (type.kind === "Date" || type.kind === "Date32") return text.slice(0, 10);
  if (type.kind === "Int" && typeof value === "boolean") return value ? "1" : "0";
  if (type.kind !== "DateTime64" || type.scale === 0) return text;
  const [whole = "", fraction = ""] = text.split(".");
  return `${whole}.${fraction.slice(0, type.scale).padEnd(type.scale, "0")}`;
}

/** Of a tuple, which is an object if its items have names. */
export function itemsOf(value: Cell): readonly Cell[] {
  if (Array.isArray(value)) return value as readonly Cell[];
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

export function listOf(value: Cell): readonly Cell[] {
  return Array.isArray(value) ? (value as readonly Cell[]) : [];
}

export function entriesOf(value: Cell): [string, Cell][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

/** At the commas outside of parentheses and quotes. */
function splitArguments(text: string): string[] {
  const args: string[] = [];
  let [depth, start, quoted] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === "'") quoted = !quoted;
    else if (quoted) continue;
    else if (char === "(") depth += 1;
    else if (char === ")") depth -= 1;
    else if (char === "," && depth === 0) {
      args.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...args, text.slice(start)].map((arg) => arg.trim());
}
