/**
 * Parked events, page by page. What was sent may have 10 MB, and a thousand of those fit neither the engine's memory nor ours: a
 * page is chosen without it, then its sizes are asked for, then as much of it as fits is read.
 */
import { readFileSync } from "node:fs";
import type { AnalyticsEngine } from "../engines/analytics.ts";
import { LATEST_MS } from "../lib/time.ts";
import type { ParkedRow } from "./transform.ts";

const [PARKED, SIZES, RAW] = ["parked", "parked_sizes", "parked_raw"].map((name) =>
  readFileSync(new URL(`./sql/${name}.sql`, import.meta.url), "utf8"),
) as [string, string, string];

const ROWS_AT_ONCE = 1_000;
const BYTES_AT_ONCE = 8 * 1024 * 1024;
const HEAD_CHARS = 200;
/** They travel in the URL: 200 are 12 KB, and there are proxies that take 16. */
const IDS_AT_ONCE = 200;
/** The engine reads as many rows at once as usually are a megabyte; among many small rows that would be hundreds of the large. */
const FEW_ROWS = { max_block_size: 4, max_threads: 1 } as const;

export interface ParkedFilter {
  reason?: string | undefined;
  id?: string | undefined;
  /** How many at most; without it all. */
  limit?: number | undefined;
}

type Parked = Omit<ParkedRow, "raw"> & { at: string };

/** A parked event by the beginning of what was sent. */
export type ParkedHead = Parked & { head: string; raw_bytes: number };

export type ParkedEvent = Parked & { raw: string };

type Engine = Pick<AnalyticsEngine, "selectJson">;

/** Newest first. What is replayed or parked meanwhile moves none of the others. */
export async function* listParked(
  engine: Engine,
  projects: readonly string[],
  { reason = "", id = "", limit = Number.POSITIVE_INFINITY }: ParkedFilter,
): AsyncGenerator<ParkedHead[], void, void> {
  let behind = { received_at: LATEST_MS, id: "" };
  for (let left = limit; left > 0; ) {
    const asked = Math.min(left, ROWS_AT_ONCE);
    const params = { projects, reason, id, limit: asked, before_ms: behind.received_at, before_id: behind.id };
    const { data } = await engine.selectJson<Omit<Parked, "received_at"> & { received_ms: number }>(PARKED, { params });
    const page = data.map(({ received_ms, ...row }) => ({ ...row, received_at: received_ms }));
    const last = page.at(-1);
    if (last === undefined) return;
    yield joinById(page, await selectByIds<{ id: string; head: string; raw_bytes: number }>(engine, SIZES, page));
    if (page.length < asked) return;
    behind = last;
    left -= page.length;
  }
}

/** The same with all that was sent, in pages of as many as fit in memory. */
export async function* readParked(
  engine: Engine,
  projects: readonly string[],
  filter: ParkedFilter,
): AsyncGenerator<ParkedEvent[], void, void> {
  for await (const page of listParked(engine, projects, filter))
    for (const heads of splitByBytes(page)) {
      const rows = heads.map(({ head: _head, raw_bytes: _bytes, ...row }) => row);
      yield joinById(rows, await selectByIds<{ id: string; raw: string }>(engine, RAW, rows));
    }
}

/** One that is too large by itself is alone. */
function splitByBytes(page: readonly ParkedHead[]): ParkedHead[][] {
  const parts: ParkedHead[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const head of page) {
    bytes += head.raw_bytes;
    if (bytes > BYTES_AT_ONCE) {
      parts.push([]);
      bytes = head.raw_bytes;
    }
    parts.at(-1)?.push(head);
  }
  return parts;
}

async function selectByIds<T>(engine: Engine, sql: string, rows: readonly Parked[]): Promise<T[]> {
  const found: T[] = [];
  for (let from = 0; from < rows.length; from += IDS_AT_ONCE) {
    const some = rows.slice(from, from + IDS_AT_ONCE);
    const times = some.map((row) => row.received_at);
    const params = {
      projects: [...new Set(some.map((row) => row.project_id))],
      from_ms: Math.min(...times),
      to_ms: Math.max(...times),
      ids: some.map((row) => row.id),
      head_chars: HEAD_CHARS,
    };
    found.push(...(await engine.selectJson<T>(sql, { params, settings: FEW_ROWS })).data);
  }
  return found;
}

/** One that has left meanwhile, by its age, is left out. */
function joinById<A extends { id: string }, B extends { id: string }>(
  rows: readonly A[],
  more: readonly B[],
): (A & B)[] {
  const byId = new Map(more.map((one) => [one.id, one]));
  return rows.flatMap((row) => {
    const one = byId.get(row.id);
    return one === undefined ? [] : [{ ...row, ...one }];
  });
}
