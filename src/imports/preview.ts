/** The first rows of a file as they would be stored, and what would be refused: nothing is sent. */
import { readFileRows } from "./read/read-file.ts";
import type { Reading } from "./reading.ts";

export interface Preview {
  readonly rows: number;
  /** Whether these are all rows of the file. */
  readonly isWhole: boolean;
  /** Events, or wallets. */
  readonly events: number;
  readonly first: readonly unknown[];
  /** Of each reason: how many rows, and the first of them. */
  readonly refused: readonly { reason: string; rows: number; at: string }[];
  readonly earliest: string | undefined;
  readonly latest: string | undefined;
  /** Columns of the first row that are not read. */
  readonly unread: readonly string[];
}

export interface PreviewOptions {
  readonly reading: Reading;
  readonly nowMs: number;
  /** How many rows are read. */
  readonly rows: number;
  /** How many of them are shown. */
  readonly shown: number;
}

export async function previewFile(path: string, options: PreviewOptions): Promise<Preview> {
  const mapper = options.reading.makeMapper(options.nowMs);
  const first: unknown[] = [];
  const refused = new Map<string, { reason: string; rows: number; at: string }>();
  let [rows, events, isWhole] = [0, 0, true];
  let unread: readonly string[] = [];
  let [earliest, latest]: [string | undefined, string | undefined] = [undefined, undefined];
  reading: for await (const part of readFileRows(path, 0)) {
    for (const row of part.rows) {
      if (rows === options.rows) {
        isWhole = false;
        break reading;
      }
      rows += 1;
      const mapped = mapper.map(row, rows);
      if (rows === 1) unread = options.reading.listUnread(row.value ?? {});
      events += mapped.texts.length;
      for (const text of mapped.texts) {
        const item = JSON.parse(text) as { original_timestamp?: string };
        if (first.length < options.shown) first.push(item);
        const at = item.original_timestamp;
        if (at === undefined) continue;
        if (earliest === undefined || at < earliest) earliest = at;
        if (latest === undefined || at > latest) latest = at;
      }
      if (mapped.refused === undefined) continue;
      const at = `${part.entry === undefined ? "" : `${part.entry}, `}${part.unit} ${row.at}`;
      const known = refused.get(mapped.refused) ?? { reason: mapped.refused, rows: 0, at };
      known.rows += 1;
      refused.set(mapped.refused, known);
    }
  }
  const byCount = [...refused.values()].sort((one, other) => other.rows - one.rows);
  return { rows, isWhole, events, first, refused: byCount, earliest, latest, unread };
}
