/** ClickHouse's JSON formats: one document, or one value a line. */
import { type AnswerColumn, type Cell, type ColumnType, entriesOf, itemsOf, listOf, toText } from "../types.ts";
import { type AnswerRow, type Encoder, type Format, type FormatOptions, HEADS, type Head } from "./format.ts";

const JSON_TYPE = "application/json; charset=UTF-8";
const LINES_TYPE = "application/x-ndjson; charset=UTF-8";

export const JSON_FORMATS: readonly Format[] = [
  {
    name: "JSON",
    contentType: JSON_TYPE,
    encoder: (columns, options) => document(columns, asObject(columns, options)),
  },
  {
    name: "JSONCompact",
    contentType: JSON_TYPE,
    encoder: (columns, options) => document(columns, asArray(columns, options)),
  },
  {
    name: "JSONEachRow",
    contentType: LINES_TYPE,
    encoder: (columns, options) => lines([], asObject(columns, options)),
  },
  ...HEADS.map((head) => ({
    name: `JSONCompactEachRow${head}`,
    contentType: LINES_TYPE,
    encoder: (columns: readonly AnswerColumn[], options: FormatOptions) =>
      lines(headLines(columns, head), asArray(columns, options)),
  })),
];

type Write = (row: AnswerRow) => string;

/** Line by line as ClickHouse writes it: some readers of streams look for `"data":` on a line of its own. */
function document(columns: readonly AnswerColumn[], write: Write): Encoder {
  let separator = "";
  return {
    begin: () => {
      const meta = columns.map(
        ({ name, typeName }) =>
          `\t\t{\n\t\t\t"name": ${JSON.stringify(name)},\n\t\t\t"type": ${JSON.stringify(typeName)}\n\t\t}`,
      );
      return `{\n\t"meta":\n\t[\n${meta.join(",\n")}\n\t],\n\n\t"data":\n\t[\n`;
    },
    rows(rows) {
      let text = "";
      for (const row of rows) {
        text += `${separator}\t\t${write(row)}`;
        separator = ",\n";
      }
      return text;
    },
    end: ({ rows, seconds }) =>
      `\n\t],\n\n\t"rows": ${rows},\n\n\t"statistics":\n\t{\n\t\t"elapsed": ${seconds},\n\t\t"rows_read": 0,\n\t\t"bytes_read": 0\n\t}\n}\n`,
  };
}

function lines(head: readonly string[], write: Write): Encoder {
  return {
    begin: () => head.map((line) => `${line}\n`).join(""),
    rows: (rows) => rows.map((row) => `${write(row)}\n`).join(""),
    end: () => "",
  };
}

function headLines(columns: readonly AnswerColumn[], head: Head): string[] {
  const names = JSON.stringify(columns.map(({ name }) => name));
  const types = JSON.stringify(columns.map(({ typeName }) => typeName));
  return [names, types].slice(0, HEADS.indexOf(head));
}

function asObject(columns: readonly AnswerColumn[], options: FormatOptions): Write {
  const writers = columns.map(({ name, type }) => ({ key: `${JSON.stringify(name)}:`, write: writer(type, options) }));
  return (row) => `{${writers.map(({ key, write }, i) => key + write(row[i] ?? null)).join(",")}}`;
}

function asArray(columns: readonly AnswerColumn[], options: FormatOptions): Write {
  const writers = columns.map(({ type }) => writer(type, options));
  return (row) => `[${writers.map((write, i) => write(row[i] ?? null)).join(",")}]`;
}

/** Writes a value of the type as JSON. */
function writer(type: ColumnType, options: FormatOptions): (value: Cell) => string {
  switch (type.kind) {
    case "Int":
      return type.bytes === 8 && options.quoteInt64
        ? (value) => `"${toText(type, value)}"`
        : (value) => toText(type, value);
    case "Decimal":
      return (value) => toText(type, value);
    case "Float32":
    case "Float64":
      return (value) => (Number.isFinite(Number(value)) ? toText(type, value) : "null");
    case "Bool":
      return (value) => (value ? "true" : "false");
    case "Nullable": {
      const write = writer(type.of, options);
      return (value) => (value === null ? "null" : write(value));
    }
    case "Array": {
      const write = writer(type.of, options);
      return (value) => `[${listOf(value).map(write).join(",")}]`;
    }
    case "Tuple": {
      const writers = type.items.map((item) => writer(item, options));
      const array = (value: Cell) => `[${writers.map((write, i) => write(itemsOf(value)[i] ?? null)).join(",")}]`;
      const { names } = type;
      if (names === undefined) return array;
      const keys = names.map((name) => JSON.stringify(name));
      return (value) => `{${writers.map((write, i) => `${keys[i]}:${write(itemsOf(value)[i] ?? null)}`).join(",")}}`;
    }
    case "Map": {
      const write = writer(type.of, options);
      return (value) => {
        const entries = entriesOf(value).map(([key, one]) => `${JSON.stringify(key)}:${write(one)}`);
        return `{${entries.join(",")}}`;
      };
    }
    case "String":
    case "UUID":
    case "Date":
    case "Date32":
    case "DateTime":
    case "DateTime64":
      return (value) => JSON.stringify(toText(type, value));
  }
}
