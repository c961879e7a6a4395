import type { SqlFormat } from "../../contract/query.ts";

/** The formats of answers. Rows are written one by one: an answer has up to a million of them. */

/** A value of a row: times and days are texts. */
export type Cell = string | number | bigint | boolean | null | readonly Cell[] | { readonly [name: string]: Cell };

export interface AnswerColumn {
  readonly name: string;
  /** As ClickHouse names it. */
  readonly type: string;
}

export interface AnswerSummary {
  /** Rows without LIMIT and OFFSET. */
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly hasMore: boolean;
}

export interface AnswerWriter {
  readonly head: string;
  row(cells: readonly Cell[], isFirst: boolean): string;
  tail(summary: AnswerSummary): string;
}

interface Format {
  readonly contentType: string;
  /** Whether the tail tells the number of all rows, which takes a second query. */
  readonly needsTotal: boolean;
  createWriter(columns: readonly AnswerColumn[]): AnswerWriter;
}

export const FORMATS: Readonly<Record<SqlFormat, Format>> = {
  json: {
    contentType: "application/json; charset=utf-8",
    needsTotal: true,
    createWriter(columns) {
      const row = createJsonRow(columns);
      return {
        head: '{"data":[',
        row: (cells, isFirst) => `${isFirst ? "" : ","}${row(cells)}`,
        tail: ({ total, limit, offset, hasMore }) =>
          `],"total":${total},"limit":${limit},"offset":${offset},"has_more":${hasMore}}`,
      };
    },
  },
  ndjson: {
    contentType: "application/x-ndjson; charset=utf-8",
    needsTotal: false,
    createWriter(columns) {
      const row = createJsonRow(columns);
      return { head: "", row: (cells) => `${row(cells)}\n`, tail: () => "" };
    },
  },
  /** RFC 4180. Values are not changed: a spreadsheet may take one that starts with = for a formula. */
  csv: {
    contentType: "text/csv; charset=utf-8; header=present",
    needsTotal: false,
    createWriter: (columns) => ({
      head: csvLine(columns.map(({ name }) => name)),
      row: csvLine,
      tail: () => "",
    }),
  },
};

function createJsonRow(columns: readonly AnswerColumn[]): (cells: readonly Cell[]) => string {
  const names = uniqueNames(columns).map((name, at) => `${at === 0 ? "{" : ","}${JSON.stringify(name)}:`);
  return (cells) => {
    let text = "";
    for (let at = 0; at < names.length; at += 1) text += (names[at] ?? "") + toJson(cells[at] ?? null);
    return `${text}}`;
  };
}

/** `SELECT a, a` has two columns of one name, and an object only one. */
function uniqueNames(columns: readonly AnswerColumn[]): string[] {
  const taken = new Set<string>();
  return columns.map(({ name }) => {
    let unique = name;
    for (let n = 1; taken.has(unique); n += 1) unique = `${name}_${n}`;
    taken.add(unique);
    return unique;
  });
}

function toJson(cell: Cell): string {
  if (typeof cell === "string") return JSON.stringify(cell);
  if (typeof cell === "number") return Number.isFinite(cell) ? String(cell) : "null";
  if (cell === null || typeof cell !== "object") return String(cell);
  if (isList(cell)) return `[${cell.map(toJson).join(",")}]`;
  return `{${Object.entries(cell)
    .map(([name, value]) => `${JSON.stringify(name)}:${toJson(value)}`)
    .join(",")}}`;
}

function isList(cell: Cell): cell is readonly Cell[] {
  return Array.isArray(cell);
}

function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvField).join(",")}\r\n`;
}

function csvField(cell: Cell): string {
  if (cell === null) return "";
  const text = typeof cell === "object" ? toJson(cell) : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
