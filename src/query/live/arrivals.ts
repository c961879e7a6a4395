/**
 * Newly stored events. No column says when an event was stored. Events are found by the time of their receipt, of a
 * while back, and the caller knows which of them are new.
 */
import { fillSql, readSqlParts, withParts } from "../../lib/sql.ts";
import { formatPosition, type Position } from "../activity/position.ts";
import type { Lookup, LookupContext } from "../run/run-lookup.ts";

const PARTS = readSqlParts(new URL("./arrivals.sql", import.meta.url));
/** At most this many keys are read: the newest. They are 1 MB of JSON. */
const MOST_KEYS = 20_000;

export interface Arrival {
  readonly key: string;
  readonly receivedMs: number;
}

/** An event of the stream. */
export interface LiveEvent extends Arrival {
  readonly data: Readonly<Record<string, string | number>>;
}

export interface Arrivals {
  /** Newest first. */
  readonly all: readonly Arrival[];
  /** True if there were more. */
  readonly isCut: boolean;
  /** The newest of the new ones, in order of receipt. */
  readonly events: readonly LiveEvent[];
  /** New events that are not among them. */
  readonly skipped: number;
}

interface ArrivalsQuestion {
  readonly sinceMs: number;
  /** The most events to read. */
  readonly most: number;
  isNew(arrival: Arrival): boolean;
}

export function findArrivals(question: ArrivalsQuestion): Lookup<Arrivals> {
  return { name: "live_stream", run: (given) => queryArrivals(question, given) };
}

export function positionOf({ receivedMs, key }: Arrival): Position {
  return { ms: receivedMs, key: BigInt(key) };
}

async function queryArrivals({ sinceMs, most, isNew }: ArrivalsQuestion, given: LookupContext): Promise<Arrivals> {
  const withoutBots = given.owner.projects.filter(({ excludeBots }) => excludeBots).map(({ id }) => id);
  const bots =
    withoutBots.length > 0 ? "(a.project_id NOT IN {without_bots:Array(String)} OR a.device != 'bot')" : "1 = 1";
  const found = await select<KeyRow>(fillSql(PARTS("keys"), { bots }), sinceMs, given, {
    without_bots: withoutBots,
    limit: MOST_KEYS + 1,
  });
  const all = found.slice(0, MOST_KEYS).map(toArrival);
  const fresh = new Map(all.filter(isNew).map((arrival) => [arrival.key, arrival]));
  const newest = [...fresh.values()].slice(0, most);
  const events = newest.length === 0 ? [] : await readEvents(newest, given);
  return { all, isCut: found.length > MOST_KEYS, events, skipped: fresh.size - newest.length };
}

async function readEvents(arrivals: readonly Arrival[], given: LookupContext): Promise<LiveEvent[]> {
  const sinceMs = arrivals.at(-1)?.receivedMs ?? 0;
  const rows = await select<EventRow>(PARTS("events"), sinceMs, given, {
    keys: arrivals.map(({ key }) => BigInt(key)),
  });
  // ClickHouse may show copies that it has not merged yet.
  const byKey = new Map(rows.map((row) => [row.event_key, row]));
  return [...byKey.values()].map(toEvent).sort((a, b) => comparePositions(positionOf(a), positionOf(b)));
}

export function comparePositions(a: Position, b: Position): number {
  return a.ms - b.ms || (a.key < b.key ? -1 : Number(a.key > b.key));
}

interface KeyRow {
  readonly event_key: string;
  readonly received_ms: number;
}

type EventRow = KeyRow & Readonly<Record<string, string | number>> & { readonly at_ms: number };

function toArrival({ event_key, received_ms }: KeyRow): Arrival {
  return { key: event_key, receivedMs: received_ms };
}

/** Its id is that of /v0/activity. */
function toEvent({ event_key, received_ms, at_ms, ...columns }: EventRow): LiveEvent {
  const id = formatPosition({ ms: at_ms, key: BigInt(event_key) });
  return {
    key: event_key,
    receivedMs: received_ms,
    data: { id, timestamp: new Date(at_ms).toISOString(), ...columns },
  };
}

async function select<T>(
  sql: string,
  sinceMs: number,
  { engine, owner, signal }: LookupContext,
  params: Readonly<Record<string, unknown>>,
): Promise<readonly T[]> {
  const arrivals = engine.relations.arrivals(
    owner.projects.map(({ id }) => id),
    sinceMs,
  );
  const { rows } = await engine.select<T>(withParts(arrivals.ctes, sql), {
    params: { ...arrivals.params, ...params },
    signal,
  });
  return rows;
}
