import { EVENT_COLUMNS } from "../../src/engines/event-columns.ts";

const KEYS_AND_TIME: readonly string[] = ["project_id", "message_id", "dedupe_day", "timestamp"];

/** A row of `events` as it is exported, with empty texts and zeros. Its key and time are missing. */
export const BLANK_ROW: Readonly<Record<string, "" | 0>> = Object.fromEntries(
  EVENT_COLUMNS.filter(([name, kind]) => kind !== "hash" && !KEYS_AND_TIME.includes(name)).map(([name, kind]) => [
    name,
    kind === "text" ? "" : 0,
  ]),
);
