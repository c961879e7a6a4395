/** The partition catalogue, as one relation (catalog.sql). */
import { fillSql, readSql } from "../../lib/sql.ts";
import type { Clickhouse } from "./database.ts";
import { LAYOUT } from "./revisions.ts";

const CATALOG = readSql(new URL("./catalog.sql", import.meta.url));

/** Covers the projects in the parameter `projects`. */
export const CATALOG_OF_PROJECTS = catalogOf("project_id IN {projects:Array(String)}");
export const CATALOG_OF_ALL = catalogOf("1");

/** The rollups of a partition are made of the sessions that are wanted. `without_bots_in` are projects. */
export const HAS_WANTED_SESSIONS = "without_bots = toUInt8(project_id IN {without_bots_in:Array(String)})";

function catalogOf(ofProjects: string): string {
  return fillSql(CATALOG, { of_projects: ofProjects, layout: String(LAYOUT) });
}

/**
 * A partition can be materialized when neither it nor an earlier one was marked within `settle_ms`: an insert may still
 * be running. A revision's start is set back by `settle_ms`, so that a mark made since then, seen or not, makes the
 * partition dirty again.
 */
export const IS_SETTLED = "last_dirty_ms <= now_ms - {settle_ms:Int64}";
export const STARTED_MS = "now_ms - {settle_ms:Int64}";

/** Marks and revisions use the clock of ClickHouse, because the clocks of the nodes differ. */
export async function readClock(clickhouse: Pick<Clickhouse, "select">, signal: AbortSignal): Promise<number> {
  const sql = "SELECT toUnixTimestamp64Milli(now64(3)) AS now_ms";
  const { rows } = await clickhouse.select<{ now_ms: number }>(sql, { signal });
  return rows[0]?.now_ms ?? 0;
}
