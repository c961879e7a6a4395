/** The first rows of a file as they would be stored, and what would be refused: nothing is sent. */

import { detectSource } from "./detect.ts";
import type { Mapping } from "./from/generic.ts";
import { createRowMapper, type RowMapper } from "./map-rows.ts";
import { type FileRows, readFileRows } from "./read/read-file.ts";
import { makeMapper, type SourceName } from "./sources.ts";

export interface Preview {
  readonly rows: number;
  /** Whether these are all rows of the file. */
  readonly isWhole: boolean;
  readonly events: number;
  readonly first: readonly unknown[];
  /** Of each reason: how many rows, and the first of them. */
  readonly refused: readonly { reason: string; rows: number; at: string }[];
  /** The names of the first row that can be read. */
  readonly columns: readonly string[];
  readonly source: SourceName;
  readonly earliest: string | undefined;
  readonly latest: string | undefined;
}

export interface PreviewOptions {
  /** Undefined: by the names of the first row. */
  readonly source: SourceName | undefined;
  readonly mapping: Mapping;
  readonly nowMs: number;
  /** How many rows are read. */
  readonly rows: number;
  /** How many events are shown. */
  readonly shown: number;
  /** Ends the reading: what was seen by then is the preview. */
  readonly signal?: AbortSignal;
}

export async function previewFile(path: string, options: PreviewOptions): Promise<Preview> {
  const { mapping, nowMs, signal } = options;
  let { source } = options;
  let mapper: RowMapper | undefined;
  let columns: readonly string[] | undefined;
  const first: unknown[] = [];
  const refused = new Map<string, { reason: string; rows: number; at: string }>();
  let [rows, events, isWhole] = [0, 0, true];
  let [earliest, latest]: [string | undefined, string | undefined] = [undefined, undefined];
  reading: for await (const part of untilAborted(readFileRows(path, 0, signal), signal)) {
    for (const row of part.rows) {
      if (rows === options.rows) {
        isWhole = false;
        break reading;
      }
      rows += 1;
      if (row.value !== undefined) columns ??= Object.keys(row.value);
      source ??= row.value && detectSource(row.value);
      mapper ??= createRowMapper({
        ...{ source: source ?? "generic", nowMs },
        mapRow: makeMapper(source ?? "generic", mapping),
      });
      const mapped = mapper.map(row, rows);
      if (source === undefined) mapper = undefined;
      events += mapped.texts.length;
      for (const text of mapped.texts) {
        const event = JSON.parse(text) as { original_timestamp: string };
        if (first.length < options.shown) first.push(event);
        const at = event.original_timestamp;
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
  if (signal?.aborted) isWhole = false;
  const found = { source: source ?? "generic", columns: columns ?? [] } as const;
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
