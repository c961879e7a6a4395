/** The first rows of a file as they would be stored, and what would be refused: nothing is sent. */

import type { Mapping } from "./from/generic.ts";
import { createRowMapper } from "./map-rows.ts";
import { readFileRows } from "./read/read-file.ts";
import { makeMapper, type SourceName } from "./sources.ts";

export interface Preview {
  readonly rows: number;
  /** Whether these are all rows of the file. */
  readonly isWhole: boolean;
  readonly events: number;
  readonly first: readonly unknown[];
  /** Of each reason: how many rows, and the first of them. */
  readonly refused: readonly { reason: string; rows: number; at: string }[];
  readonly earliest: string | undefined;
  readonly latest: string | undefined;
}

export interface PreviewOptions {
  readonly source: SourceName;
  readonly mapping: Mapping;
  readonly nowMs: number;
  /** How many rows are read. */
  readonly rows: number;
  /** How many events are shown. */
  readonly shown: number;
}

export async function previewFile(path: string, options: PreviewOptions): Promise<Preview> {
  const { source, mapping, nowMs } = options;
  const mapper = createRowMapper({ source, mapRow: makeMapper(source, mapping), nowMs });
  const first: unknown[] = [];
  const refused = new Map<string, { reason: string; rows: number; at: string }>();
  let [rows, events, isWhole] = [0, 0, true];
  let [earliest, latest]: [string | undefined, string | undefined] = [undefined, undefined];
  reading: for await (const part of readFileRows(path, 0)) {
    for (const row of part.rows) {
      if (rows === options.rows) {
        isWhole = false;
        break reading;
      }
      rows += 1;
      const mapped = mapper.map(row, rows);
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
  return { rows, isWhole, events, first, refused: byCount, earliest, latest };
}
