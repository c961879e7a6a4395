/** The first rows of a file as they would be stored, and what would be refused: nothing is sent. */
import type { NativeRow } from "./imported-event.ts";
import { type FileRows, readFileRows } from "./read/read-file.ts";
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
  /** The names of the first row that can be read. */
  readonly columns: readonly string[];
  readonly source: string;
  readonly earliest: string | undefined;
  readonly latest: string | undefined;
  /** Columns of the first row that are not read. */
  readonly unread: readonly string[];
}

export interface PreviewOptions {
  readonly reading: Reading;
  /** Finds another reading by the names of a row. */
  detect?(row: NativeRow): Reading | undefined;
  readonly nowMs: number;
  /** How many rows are read. */
  readonly rows: number;
  /** How many of them are shown. */
  readonly shown: number;
  /** Ends the reading: what was seen by then is the preview. */
  readonly signal?: AbortSignal;
  /** Rows have come. */
  onRows?(): void;
}

export async function previewFile(path: string, options: PreviewOptions): Promise<Preview> {
  const { nowMs, signal } = options;
  let { reading } = options;
  let mapper = reading.makeMapper(nowMs);
  let detect = options.detect;
  let columns: readonly string[] | undefined;
  const first: unknown[] = [];
  const refused = new Map<string, { reason: string; rows: number; at: string }>();
  let [rows, events, isWhole] = [0, 0, true];
  let unread: readonly string[] = [];
  let [earliest, latest]: [string | undefined, string | undefined] = [undefined, undefined];
  parts: for await (const part of untilAborted(readFileRows(path, 0, signal), signal)) {
    for (const row of part.rows) {
      if (rows === options.rows) {
        isWhole = false;
        break parts;
      }
      rows += 1;
      if (row.value !== undefined) columns ??= Object.keys(row.value);
      const better = row.value && detect?.(row.value);
      if (better !== undefined) {
        [reading, detect] = [better, undefined];
        mapper = reading.makeMapper(nowMs);
      }
      const mapped = mapper.map(row, rows);
      if (rows === 1) unread = reading.listUnread(row.value ?? {});
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
    options.onRows?.();
  }
  const byCount = [...refused.values()].sort((one, other) => other.rows - one.rows);
  if (signal?.aborted) isWhole = false;
  const found = { source: reading.source, columns: columns ?? [], unread } as const;
  return { ...found, rows, isWhole, events, first, refused: byCount, earliest, latest };
}

/** The groups up to the abort, without its error. */
async function* untilAborted(
  groups: AsyncIterable<FileRows>,
  signal: AbortSignal | undefined,
): AsyncGenerator<FileRows, void, void> {
  try {
    for await (const group of groups) {
      yield group;
      if (signal?.aborted) return;
    }
  } catch (cause) {
    if (!signal?.aborted) throw cause;
  }
}
