/**
 * The SQL of sessions, common to both engines: used by the writer, which stores `sessions`, and by reports that compute
 * them from events.
 */
import { fillSql, readSqlParts, withParts } from "../lib/sql.ts";

const partOf = readSqlParts(new URL("./sessions.sql", import.meta.url));

/**
 * A SELECT of all columns of `sessions` in their order, from a relation with the columns of `events`, and optionally
 * from existing rows of the same sessions with earlier events.
 */
export function sessionsSql({ events, sessions }: { events: string; sessions?: string }): string {
  const ofEvents = fillSql(partOf("parts_of_events"), { events });
  const parts =
    sessions === undefined ? ofEvents : `${ofEvents}\nUNION ALL\n${fillSql(partOf("parts_of_sessions"), { sessions })}`;
  const ctes = [
    { name: "parts", sql: parts },
    { name: "of_session", sql: partOf("of_session") },
    { name: "of_visitor", sql: partOf("of_visitor") },
  ];
  return withParts(ctes, partOf("sessions"));
}
