/** Rows of a file as the texts of events that are sent, and as refused rows with their reasons. */
import {
  hashOf,
  type ImportedEvent,
  type MapRow,
  type NativeRow,
  RefusedRow,
  toSent,
  toText,
} from "./imported-event.ts";
import { createOccurrences, type Occurrences } from "./occurrences.ts";
import type { ReadRow } from "./read/read-row.ts";
import type { SourceName } from "./sources.ts";

export interface MappedRow {
  readonly texts: readonly string[];
  /** Why the row, or one of its events, is refused. */
  readonly refused: string | undefined;
}

export interface RowMapper {
  /** The row's number in the file, of all rows from 1. */
  map(row: ReadRow, number: number): MappedRow;
  /** Whether an event without a key was seen. */
  hasKeyless(): boolean;
}

export interface MapperOptions {
  readonly source: SourceName;
  readonly mapRow: MapRow;
  /** Events after it, by more than a day, are refused. */
  readonly nowMs: number;
  readonly occurrences?: Occurrences;
}

export function createRowMapper(options: MapperOptions): RowMapper {
  const { source, mapRow, nowMs, occurrences = createOccurrences() } = options;
  let hasKeyless = false;

  function idOf(event: ImportedEvent, row: NativeRow, index: number, number: number): string {
    if (event.messageId !== undefined) return event.messageId;
    if (event.key !== undefined) return `imp:${source}:${event.key}`;
    hasKeyless = true;
    const hash = hashOf(row, index);
    // Beyond the largest table the number of the row takes its place: the same file still gives the same ids.
    const nth = occurrences.next(hash) ?? `row${number}`;
    return `imp:${source}:${hash.toString("base64url", 0, 18)}.${nth}`;
  }

  return {
    hasKeyless: () => hasKeyless,
    map({ value, problem }, number) {
      if (value === undefined) return { texts: [], refused: problem ?? "it cannot be read" };
      const texts: string[] = [];
      let refused: string | undefined;
      let events: ReturnType<MapRow> = [];
      try {
        events = mapRow(value);
      } catch (cause) {
        refused = reasonOf(cause);
      }
      events.forEach((event, index) => {
        try {
          if (event instanceof RefusedRow) throw event;
          texts.push(toText(toSent(event, nowMs), idOf(event, value, index, number)));
        } catch (cause) {
          refused ??= reasonOf(cause);
        }
      });
      return { texts, refused };
    },
  };
}

function reasonOf(cause: unknown): string {
  if (cause instanceof RefusedRow) return cause.message;
  throw cause;
}
