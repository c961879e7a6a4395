/** The rows of a file, in groups: one step of an iterator for each row would cost as much as reading it. */
import { isNestedDeeper } from "../../lib/json.ts";
import { parseKeepingNumbers } from "../../lib/json-numbers.ts";
import type { NativeRow } from "../imported-event.ts";

export interface ReadRow {
  /** The line of a text, or the number of the row where rows are no lines. Both begin with 1. */
  readonly at: number;
  /** Undefined for a row that cannot be read. */
  readonly value: NativeRow | undefined;
  readonly problem?: string;
  /** Of a row that cannot be read: its beginning. */
  readonly text?: string;
}

export type RowGroups = AsyncGenerator<ReadRow[], void, void>;

/** A longer row is refused: an event has at most 256 KiB, and a visit of Matomo some hundreds of them. */
export const LONGEST_ROW_BYTES = 16 * 1024 * 1024;
const SHOWN_CHARS = 4_000;

export function badRow(at: number, problem: string, text: string): ReadRow {
  return { at, value: undefined, problem, text: text.slice(0, SHOWN_CHARS) };
}

/** An event has 32 levels at most, and a row some around it. Thousands end what writes a value by its stack. */
export const DEEPEST_ROW = 100;

export function parseRow(at: number, text: string): ReadRow {
  let value: unknown;
  try {
    value = parseKeepingNumbers(text);
  } catch (cause) {
    const position = /position (\d+)/.exec((cause as Error).message)?.[1];
    return badRow(at, `it is not valid JSON${position === undefined ? "" : ` (at character ${position})`}`, text);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return badRow(at, "it is not a JSON object", text);
  if (isNestedDeeper(value, DEEPEST_ROW)) return badRow(at, `it is nested deeper than ${DEEPEST_ROW} levels`, text);
  return { at, value: value as NativeRow };
}
