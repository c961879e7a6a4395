/** The SQL of sessions, in the dialect of both engines: for the writer, which keeps `sessions`, and for reports that make them as they ask. */
import { readFileSync } from "node:fs";

const SESSIONS = readFileSync(new URL("./sessions.sql", import.meta.url), "utf8");

/** A SELECT of all columns of `sessions` in their order, from a relation with the columns of `events`. */
export function sessionsSql(options: { events: string }): string {
  return SESSIONS.replace("/*events*/", options.events);
}
