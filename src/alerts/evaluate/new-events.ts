/** Reads newly stored events from the engine: for all projects how many there are, and then those of one minute. */
import type { AnalyticsEngine } from "../../engines/port.ts";
import type { FoundRelations } from "../../engines/relations.ts";
import { readSqlParts, withParts } from "../../lib/sql.ts";
import { MINUTE_MS } from "../../lib/time.ts";

export type EventReader = Pick<AnalyticsEngine, "select" | "relations">;

const PARTS = readSqlParts(new URL("./new-events.sql", import.meta.url));

/** How many events of a minute of receipt are stored. */
export interface MinuteCount {
  readonly project_id: string;
  readonly minute_ms: number;
  readonly events: number;
}

/** An event as conditions read it. */
export interface NewEvent {
  readonly event_key: string;
  readonly received_ms: number;
  readonly channel: string;
  readonly type: string;
  readonly event: string;
  readonly address: string;
  readonly user_id: string;
  readonly anonymous_id: string;
  readonly location: string;
  readonly device: string;
  readonly browser: string;
  readonly os: string;
  readonly referrer: string;
}

/** The reads of a page begin after it. */
export interface Place {
  readonly ms: number;
  readonly key: string;
}

/**
 * DuckDB keeps the answer until an event is stored: `sinceMs` is a whole minute, so that an idle service asks the same
 * statement for a minute, and nothing is run.
 */
export async function countWritten(
  engine: EventReader,
  projects: readonly string[],
  sinceMs: number,
  signal: AbortSignal,
): Promise<readonly MinuteCount[]> {
  const written = engine.relations.written(projects, Math.floor(sinceMs / MINUTE_MS) * MINUTE_MS);
  const options = { params: written.params, reads: written.reads, signal };
  return (await engine.select<MinuteCount>(withParts(written.ctes, PARTS("counts")), options)).rows;
}

/** Events of one minute of receipt after a place, in order. Copies may be among them. */
export async function readPage(
  engine: EventReader,
  { projectId, minuteMs }: { projectId: string; minuteMs: number },
  { after, limit }: { after: Place; limit: number },
  signal: AbortSignal,
): Promise<readonly NewEvent[]> {
  const params = { until_ms: minuteMs + MINUTE_MS, after_ms: after.ms, after_key: BigInt(after.key), limit };
  const sinceMs = Math.max(minuteMs, after.ms);
  return select(engine, engine.relations.arrivals([projectId], sinceMs), PARTS("page"), params, signal);
}

/** Whole events by their keys. */
export async function readItems(
  engine: EventReader,
  { projectId, minuteMs }: { projectId: string; minuteMs: number },
  keys: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  if (keys.length === 0) return new Map();
  const params = { until_ms: minuteMs + MINUTE_MS, keys: keys.map(BigInt) };
  const arrivals = engine.relations.arrivals([projectId], minuteMs);
  const rows = await select<EventRow>(engine, arrivals, PARTS("items"), params, signal);
  return new Map(rows.map((row) => [row.event_key, toItem(row)]));
}

type EventRow = Readonly<Record<string, string | number>> & {
  readonly event_key: string;
  readonly received_ms: number;
  readonly at_ms: number;
  readonly context: string;
  readonly properties: string;
};

/** What the context of the client says, under the names of the columns of `events`. */
const OF_CONTEXT = [
  "page_url",
  "page_title",
  "page_query",
  "page_hash",
  "locale",
  "timezone",
  "library_name",
  "library_version",
  "user_agent",
  "gclid",
  "gad_source",
  "fbclid",
  "msclkid",
  "ttclid",
  "twclid",
  "li_fat_id",
  "rdt_cid",
] as const;

function toItem({ event_key: _key, received_ms, at_ms, context, properties, ...columns }: EventRow) {
  const told = toObject(context);
  return {
    ...columns,
    timestamp: new Date(at_ms).toISOString(),
    received_at: new Date(received_ms).toISOString(),
    ...Object.fromEntries(OF_CONTEXT.map((name) => [name, typeof told[name] === "string" ? told[name] : ""])),
    context: told,
    properties: toObject(properties),
  };
}

function toObject(text: string): Record<string, unknown> {
  const value: unknown = text === "" ? {} : JSON.parse(text);
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

async function select<T>(
  engine: EventReader,
  relations: FoundRelations,
  sql: string,
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const options = { params: { ...relations.params, ...params }, signal };
  return (await engine.select<T>(withParts(relations.ctes, sql), options)).rows;
}
