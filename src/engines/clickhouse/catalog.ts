/** The catalogue of partitions, as one relation (catalog.sql). */
import { fillSql, readSql } from "../../lib/sql.ts";
import type { Clickhouse } from "./http.ts";

const CATALOG = readSql(new URL("./catalog.sql", import.meta.url));

/** Of the projects in the parameter `projects`. */
export const CATALOG_OF_PROJECTS = fillSql(CATALOG, { of_projects: "project_id IN {projects:Array(String)}" });
export const CATALOG_OF_ALL = fillSql(CATALOG, { of_projects: "1" });

/**
 * A partition can be materialized when nothing before it or in it was marked for a while: an insert may still be on its way. A revision counts as begun
 * before that while, so that what is marked from then on, or was marked unseen, makes it dirty again.
 */
export const IS_SETTLED = "last_dirty_ms <= now_ms - {settle_ms:Int64}";
export const STARTED_MS = "now_ms - {settle_ms:Int64}";

/** Whatever clock a node has: marks and revisions go by ClickHouse's. */
export async function readClock(clickhouse: Pick<Clickhouse, "select">, signal: AbortSignal): Promise<number> {
  const sql = "SELECT toUnixTimestamp64Milli(now64(3)) AS now_ms";
  const { rows } = await clickhouse.select<{ now_ms: number }>(sql, { signal });
  return rows[0]?.now_ms ?? 0;
}
