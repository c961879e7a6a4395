/** Events of a list, newest first, as days with their sessions. */
import type { ActivityEvent } from "../../ui/event-row.tsx";

export interface SessionEvents {
  /** Of its newest event: a session that crosses midnight is on both days. */
  key: string;
  session: string;
  events: readonly ActivityEvent[];
}

export interface DayEvents {
  day: string;
  sessions: readonly SessionEvents[];
}

/** Sessions stand in the order of their newest events. Two that overlap stay whole. */
export function eventsByDay(events: readonly ActivityEvent[]): DayEvents[] {
  const days = new Map<string, Map<string, ActivityEvent[]>>();
  for (const event of events) {
    const day = event.timestamp.slice(0, 10);
    const sessions = days.get(day) ?? new Map<string, ActivityEvent[]>();
    days.set(day, sessions);
    const known = sessions.get(event.session_id);
    if (known === undefined) sessions.set(event.session_id, [event]);
    else known.push(event);
  }
  return [...days].map(([day, sessions]) => ({
    day,
    sessions: [...sessions].map(([session, own]) => ({ key: own[0]?.id ?? session, session, events: own })),
  }));
}
