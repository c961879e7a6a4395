import type { AnswerColumn, Cell } from "../types.ts";

/** In the order of the columns. */
export type AnswerRow = readonly Cell[];

export interface Totals {
  readonly rows: number;
  readonly seconds: number;
}

/** One answer in a format. The pieces together are the body. */
export interface Encoder {
  begin(): string | Buffer;
  rows(rows: readonly AnswerRow[]): string | Buffer;
  end(totals: Totals): string | Buffer;
}

export interface FormatOptions {
  /** JSON: 64-bit integers as text, because they may not fit into a number of the client. ClickHouse's default. */
  readonly quoteInt64: boolean;
  /** Native: the revision of the protocol that the client asked for; 0 for none. */
  readonly protocolRevision: number;
}

export interface Format {
  readonly name: string;
  readonly contentType: string;
  encoder(columns: readonly AnswerColumn[], options: FormatOptions): Encoder;
}

/** What an answer in a text format has before its rows. */
export const HEADS = ["", "WithNames", "WithNamesAndTypes"] as const;
export type Head = (typeof HEADS)[number];
