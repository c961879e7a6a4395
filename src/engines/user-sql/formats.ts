/**
 * The formats of answers. The engine itself writes each row as a text: 50,000 rows of all columns of `events` took 14 s
 * in JavaScript. Here is what comes before, between and after the rows.
 */
import type { SqlFormat } from "../../contract/query.ts";

/**
 * For our own reading: `rows` (query/sql/rows.ts), of which Parquet is made, and `values` (query/sql/value-rows.ts), whose
 * values are written as in `json`.
 */
export type AnswerFormat = Exclude<SqlFormat, "parquet"> | "rows" | "values";

export interface AnswerColumn {
  /** Different from those of other columns. */
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
  /** Rows were left out that the statement did not leave out by a LIMIT of its own. */
  readonly isCut: boolean;
}

interface Format {
  readonly contentType: string;
  /** Whether the tail tells the number of all rows, which takes a second query. */
  readonly needsTotal: boolean;
  /**
   * How the engine writes a row: as a JSON object, as an array whose large integers are texts, as an array of the values
   * of the object, or as a CSV line.
   */
  readonly rows: "object" | "array" | "values" | "csv";
  head(columns: readonly AnswerColumn[]): string;
  /** Between two rows. */
  readonly separator: string;
  tail(summary: AnswerSummary, hasRows: boolean): string;
}

/** A line with the columns, a line for each row, and one for the end. */
const LINES: Omit<Format, "rows"> = {
  contentType: "application/x-ndjson; charset=utf-8",
  needsTotal: false,
  head: (columns) => `${JSON.stringify(columns)}\n`,
  separator: "\n",
  tail: ({ isCut }, hasRows) => `${hasRows ? "\n" : ""}{"isCut":${isCut}}\n`,
};

export const FORMATS: Readonly<Record<AnswerFormat, Format>> = {
  json: {
    contentType: "application/json; charset=utf-8",
    needsTotal: true,
    rows: "object",
    head: () => '{"data":[',
    separator: ",",
    tail: ({ total, limit, offset, hasMore }) =>
      `],"total":${total},"limit":${limit},"offset":${offset},"has_more":${hasMore}}`,
  },
  ndjson: {
    contentType: "application/x-ndjson; charset=utf-8",
    needsTotal: false,
    rows: "object",
    head: () => "",
    separator: "\n",
    tail: (_summary, hasRows) => (hasRows ? "\n" : ""),
  },
  rows: { ...LINES, rows: "array" },
  values: { ...LINES, rows: "values" },
  /** RFC 4180. Values are not changed: a spreadsheet may take one that starts with = for a formula. */
  csv: {
    contentType: "text/csv; charset=utf-8; header=present",
    needsTotal: false,
    rows: "csv",
    head: (columns) => `${columns.map(({ name }) => csvField(name)).join(",")}\r\n`,
    separator: "\r\n",
    tail: (_summary, hasRows) => (hasRows ? "\r\n" : ""),
  },
};

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** `SELECT a, a` has two columns of one name, and an object only one. DuckDB's names ignore case. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((given) => {
    const name = given === "" ? "column" : given;
    let unique = name;
    for (let n = 1; taken.has(unique.toLowerCase()); n += 1) unique = `${name}_${n}`;
    taken.add(unique.toLowerCase());
    return unique;
  });
}
