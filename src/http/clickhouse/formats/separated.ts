/** ClickHouse's CSV and TabSeparated formats. They differ from other CSV in how they write NULL and quotes. */
import {
  type AnswerColumn,
  type Cell,
  type ColumnType,
  entriesOf,
  itemsOf,
  listOf,
  type ScalarType,
  toText,
} from "../types.ts";
import { type AnswerRow, type Encoder, type Format, HEADS, type Head } from "./format.ts";

const TAB_ESCAPES: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\f": "\\f",
  "\r": "\\r",
  "\n": "\\n",
  "\t": "\\t",
  "\0": "\\0",
  "'": "\\'",
  "\\": "\\\\",
};
const TAB_ESCAPED = /[\b\f\r\n\t\0'\\]/g;
const escapeTab = (text: string) => text.replace(TAB_ESCAPED, (char) => TAB_ESCAPES[char] ?? char);
const quoteCsv = (text: string) => `"${text.replaceAll('"', '""')}"`;

interface Kind {
  readonly names: readonly string[];
  readonly contentType: string;
  readonly separator: string;
  text(text: string): string;
  /** Of a nested value, which is already written as text. */
  nested(text: string): string;
}

const KINDS: readonly Kind[] = [
  {
    names: ["CSV"],
    contentType: "text/csv; charset=UTF-8; header=absent",
    separator: ",",
    text: quoteCsv,
    nested: quoteCsv,
  },
  {
    names: ["TabSeparated", "TSV"],
    contentType: "text/tab-separated-values; charset=UTF-8",
    separator: "\t",
    text: escapeTab,
    nested: (text) => text,
  },
  {
    names: ["TabSeparatedRaw", "TSVRaw"],
    contentType: "text/tab-separated-values; charset=UTF-8",
    separator: "\t",
    text: (text) => text,
    nested: (text) => text,
  },
];

/** `name=value` for each column. */
const TSKV: Format = {
  name: "TSKV",
  contentType: "text/tab-separated-values; charset=UTF-8",
  encoder(columns) {
    const kind = KINDS.find(({ names }) => names.includes("TSV")) as Kind;
    const writers = columns.map(({ name, type }) => ({
      key: escapeTab(name).replaceAll("=", "\\="),
      write: writer(kind, type),
    }));
    const line = (row: AnswerRow) => writers.map(({ key, write }, i) => `${key}=${write(row[i] ?? null)}`).join("\t");
    return { begin: () => "", rows: (rows) => rows.map((row) => `${line(row)}\n`).join(""), end: () => "" };
  },
};

const LINES: readonly Format[] = KINDS.flatMap((kind) =>
  kind.names.flatMap((name) =>
    HEADS.map((head) => ({
      name: `${name}${head}`,
      contentType: head === "" ? kind.contentType : kind.contentType.replace("absent", "present"),
      encoder: (columns: readonly AnswerColumn[]) => encoder(kind, head, columns),
    })),
  ),
);

export const SEPARATED_FORMATS: readonly Format[] = [...LINES, TSKV];

function encoder(kind: Kind, head: Head, columns: readonly AnswerColumn[]): Encoder {
  const writers = columns.map(({ type }) => writer(kind, type));
  const line = (texts: readonly string[]) => `${texts.join(kind.separator)}\n`;
  const heads = [
    line(columns.map(({ name }) => kind.text(name))),
    line(columns.map(({ typeName }) => kind.text(typeName))),
  ];
  return {
    begin: () => heads.slice(0, HEADS.indexOf(head)).join(""),
    rows: (rows) => rows.map((row) => line(writers.map((write, i) => write(row[i] ?? null)))).join(""),
    end: () => "",
  };
}

function writer(kind: Kind, type: ColumnType): (value: Cell) => string {
  if (type.kind === "Nullable") {
    const write = writer(kind, type.of);
    return (value) => (value === null ? "\\N" : write(value));
  }
  if (type.kind === "Array" || type.kind === "Tuple" || type.kind === "Map") {
    const write = literal(type);
    return (value) => kind.nested(write(value));
  }
  return scalar(type, kind.text);
}

/** Numbers are written as they are, everything else as `write` says. */
function scalar(type: ScalarType, write: (text: string) => string): (value: Cell) => string {
  if (type.kind === "Int" || type.kind === "Decimal") return (value) => toText(type, value);
  if (type.kind === "Float32" || type.kind === "Float64") return writeFloat;
  if (type.kind === "Bool") return (value) => (value ? "true" : "false");
  return (value) => write(toText(type, value));
}

function writeFloat(value: Cell): string {
  const number = Number(value);
  if (Number.isNaN(number)) return "nan";
  if (number === Number.POSITIVE_INFINITY) return "inf";
  return number === Number.NEGATIVE_INFINITY ? "-inf" : String(number);
}

/** Values inside of arrays, maps and tuples are written as SQL literals. */
function literal(type: ColumnType): (value: Cell) => string {
  if (type.kind === "Nullable") {
    const write = literal(type.of);
    return (value) => (value === null ? "NULL" : write(value));
  }
  if (type.kind === "Array") {
    const write = literal(type.of);
    return (value) => `[${listOf(value).map(write).join(",")}]`;
  }
  if (type.kind === "Tuple") {
    const writers = type.items.map(literal);
    return (value) => `(${writers.map((write, i) => write(itemsOf(value)[i] ?? null)).join(",")})`;
  }
  if (type.kind === "Map") {
    const [key, write] = [literal(type.key), literal(type.of)];
    return (value) =>
      `{${entriesOf(value)
        .map(([name, one]) => `${key(name)}:${write(one)}`)
        .join(",")}}`;
  }
  return scalar(type, (text) => `'${escapeTab(text)}'`);
}
