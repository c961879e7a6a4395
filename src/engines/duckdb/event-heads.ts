/** Reads what the insert path needs of events in columns. */
import { DAY_MS, dayOf } from "../../lib/time.ts";
import { type EventBlock, millisOf, textOf } from "../event-block.ts";
import type { EventRows } from "./append.ts";

/** The fields that the ledger needs. */
export interface EventHead {
  readonly projectId: string;
  readonly day: string;
  readonly receivedAtMs: number;
}

export function readHead(block: EventBlock, row: number): EventHead {
  return {
    projectId: textOf(block, block.column("project_id")[row] ?? 0),
    day: dayOf(millisOf(block.column("timestamp"), row)),
    receivedAtMs: millisOf(block.column("received_at"), row),
  };
}

/** The different days of a column: of the client's clock, or of the time of the event. */
export function daysOf({ block, rows }: EventRows, column: "dedupe_day" | "timestamp"): string[] {
  const words = block.column(column);
  const days = new Set<number>();
  for (const row of rows)
    days.add(column === "dedupe_day" ? (words[row] ?? 0) : Math.floor(millisOf(words, row) / DAY_MS));
  return [...days].map((day) => dayOf(day * DAY_MS));
}
