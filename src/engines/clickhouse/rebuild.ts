/**
 * Marks all derived data dirty while the service runs, even if derived tables were dropped. It registers the partitions
 * of all events and empties `revisions`. Then no partition is clean, reports read events, and the worker materializes
 * the partitions again. Garbage collection removes the rows of the old revisions.
 *
 * Meanwhile a report is exact or fails. An empty `dirty_partitions` would mean that no events exist. If it was missing,
 * reports must fail until it is filled: they need `revisions`, which is therefore dropped first and created last. An
 * interrupted run is repeated from the start.
 */
import { localTable } from "./cluster-ddl.ts";
import type { Clickhouse } from "./database.ts";
import { derivedSchema } from "./migrate.ts";

const FILL = `INSERT INTO dirty_partitions (project_id, day, dedupe_day, dirty_at)
SELECT DISTINCT project_id, day, dedupe_day, toDateTime64(0, 3, 'UTC') FROM events_rows`;

export async function rebuild(
  clickhouse: Clickhouse,
  onProgress: (done: number, total: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { database, cluster } = clickhouse;
  const { rows } = await clickhouse.select<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = {database:String}",
    { params: { database }, signal },
  );
  const hasMarks = rows.some(({ name }) => name === "dirty_partitions");
  const schema = derivedSchema(clickhouse);
  const steps = hasMarks
    ? [...schema, FILL, `TRUNCATE TABLE ${localTable("revisions", cluster)}`]
    : [
        ...dropRevisions(cluster),
        ...schema.filter((sql) => !isOfRevisions(sql)),
        FILL,
        ...schema.filter(isOfRevisions),
      ];
  for (const [index, sql] of steps.entries()) {
    onProgress(index, steps.length);
    await clickhouse.command(sql, { settings: { max_partitions_per_insert_block: 0 }, signal });
  }
  onProgress(steps.length, steps.length);
}

const isOfRevisions = (sql: string) => /^(CREATE TABLE IF NOT EXISTS|ALTER TABLE) revisions(_local)?\b/.test(sql);

function dropRevisions(cluster: string | undefined): string[] {
  const on = cluster === undefined ? "" : ` ON CLUSTER '${cluster}'`;
  const tables = cluster === undefined ? ["revisions"] : ["revisions", "revisions_local"];
  return tables.map((table) => `DROP TABLE IF EXISTS ${table}${on} SYNC`);
}
