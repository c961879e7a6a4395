/**
 * Reads parked events in pages. A sent text may have 10 MB, and a thousand of them fit neither the engine's memory nor
 * ours: a page is selected without the texts, and then as many texts as fit are read.
 */
import type { AnalyticsEngine } from "../engines/port.ts";
import { readSql } from "../lib/sql.ts";
import { LATEST_MS } from "../lib/time.ts";
import type { ParkedRow } from "./transform.ts";

const read = (name: string) => readSql(new URL(`./sql/${name}.sql`, import.meta.url));
const PARKED = read("parked");
const RAW = read("parked_raw");

const ROWS_AT_ONCE = 1_000;
const BYTES_AT_ONCE = 8 * 1024 * 1024;
/** ClickHouse receives parameters in the URL: 200 ids are 12 KB, and some proxies accept only 16 KB. */
const IDS_AT_ONCE = 200;

export interface ParkedFilter {
  reason?: string | undefined;
  id?: string | undefined;
  /** The maximum number; without it, all. */
  limit?: number | undefined;
  oldestFirst?: boolean;
}

interface Parked extends Omit<ParkedRow, "raw"> {
  at: string;
}

/** A parked event with only the beginning of its text. */
export type ParkedHead = Parked & { head: string; raw_bytes: number };

export type ParkedEvent = Parked & { raw: string };

type Engine = Pick<AnalyticsEngine, "select">;

/** Newest first by default. A concurrent replay or a newly parked event does not shift the pages. */
export async function* listParked(
  engine: Engine,
  projects: readonly string[],
  { reason = "", id = "", limit = Number.POSITIVE_INFINITY, oldestFirst = false }: ParkedFilter,
): AsyncGenerator<ParkedHead[], void, void> {
  const direction = oldestFirst ? 1 : -1;
  let cursor = { behind: -LATEST_MS, behind_id: "" };
  for (let left = limit; left > 0; ) {
    const asked = Math.min(left, ROWS_AT_ONCE);
    const params = { projects, reason, id, limit: asked, direction, ...cursor };
    const { rows } = await engine.select<Omit<ParkedHead, "at" | "received_at"> & { received_ms: number }>(PARKED, {
      params,
    });
    const page = rows.map(({ received_ms, ...row }) => ({
      ...row,
      at: new Date(received_ms).toISOString(),
      received_at: received_ms,
    }));
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    if (page.length < asked) return;
    cursor = { behind: last.received_at * direction, behind_id: last.id };
    left -= page.length;
  }
}

/** As `listParked`, with the complete texts, in pages that fit in memory. */
export async function* readParked(
  engine: Engine,
  projects: readonly string[],
  filter: ParkedFilter,
): AsyncGenerator<ParkedEvent[], void, void> {
  for await (const page of listParked(engine, projects, filter))
    for (const heads of splitByBytes(page)) yield await readRaw(engine, heads);
}

/** An event above the limit has its own page. */
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

/** Skips events that were removed meanwhile, by retention or by a replay. */
async function readRaw(engine: Engine, heads: readonly ParkedHead[]): Promise<ParkedEvent[]> {
  const pieces: Piece[] = [];
  for (let from = 0; from < heads.length; from += IDS_AT_ONCE)
    pieces.push(...(await selectPieces(engine, heads.slice(from, from + IDS_AT_ONCE))));
  const byId = Map.groupBy(pieces, ({ id }) => id);
  return heads.flatMap(({ head: _head, raw_bytes: _bytes, ...parked }) => {
    const found = byId.get(parked.id);
    return found === undefined ? [] : [{ ...parked, raw: found.map(({ text }) => text).join("") }];
  });
}

interface Piece {
  id: string;
  nth: number;
  text: string;
}

async function selectPieces(engine: Engine, heads: readonly ParkedHead[]): Promise<readonly Piece[]> {
  const times = heads.map((row) => row.received_at);
  const params = {
    projects: [...new Set(heads.map((row) => row.project_id))],
    from_ms: Math.min(...times),
    to_ms: Math.max(...times),
    ids: heads.map((row) => row.id),
  };
  return (await engine.select<Piece>(RAW, { params })).rows;
}
