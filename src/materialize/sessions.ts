/** The SQL of sessions, in the dialect of both engines: for the writer, which keeps `sessions`, and for reports that make them as they ask. */
import { fillSql, readSqlParts, withParts } from "../lib/sql.ts";

const partOf = readSqlParts(new URL("./sessions.sql", import.meta.url));

/**
 * A SELECT of all columns of `sessions` in their order, from a relation with the columns of `events`; and from rows of those sessions that hold other
 * events of them already, if there are any.
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
