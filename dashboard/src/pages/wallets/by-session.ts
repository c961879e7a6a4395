/** Events of a list, newest first, as days with their sessions. */
interface TimedEvent {
  id: string;
  timestamp: string;
  session_id: string;
}

export interface SessionEvents<Event> {
  /** Of its newest event: a session that crosses midnight is on both days. */
  key: string;
  session: string;
  events: readonly Event[];
}

interface DayEvents<Event> {
  day: string;
  sessions: readonly SessionEvents<Event>[];
}

/** Sessions stand in the order of their newest events. Two that overlap stay whole. */
export function eventsByDay<Event extends TimedEvent>(events: readonly Event[]): DayEvents<Event>[] {
  const days = new Map<string, Map<string, Event[]>>();
  for (const event of events) {
    const day = event.timestamp.slice(0, 10);
    const sessions = days.get(day) ?? new Map<string, Event[]>();
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
