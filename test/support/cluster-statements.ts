import { STORED_WHEN_ANSWERED } from "../../src/engines/analytics.ts";
import { CLUSTER_SETTINGS } from "../../src/warehouse/cluster-settings.ts";
import { FIND_DAYS } from "../../src/warehouse/day-book.ts";
import { createDatabaseSql, derivedSchema, schemaStatements } from "../../src/warehouse/migrate.ts";
import { removeExpiredEvents, removeOldParked } from "../../src/warehouse/retention.ts";
import { SWEPT_TABLES, sweepSql } from "../../src/warehouse/sweep-builds.ts";

const OPTIONS = { cluster: "main", database: "sextant" } as const;

/** Everything that Sextant says to a cluster in other words than to a single ClickHouse, or that changes the schema or many rows. */
export async function clusterStatements(): Promise<string> {
  const list = (settings: object) => Object.entries(settings).map(([name, value]) => `--   ${name} = ${value}`);
  const parts = [
    "-- What SEXTANT_CLICKHOUSE_CLUSTER=main makes of the schema in a database sextant. Generated (npm run generate), compared by a test.",
    ["-- With every statement:", ...list(CLUSTER_SETTINGS)].join("\n"),
    ["-- With every write:", ...list(STORED_WHEN_ANSWERED)].join("\n"),
    "-- Migrations, in order:",
    ...[createDatabaseSql(OPTIONS), ...schemaStatements(OPTIONS)].map(ended),
    "-- `sextant rebuild` creates what is missing of these, then, as the migration that made them does:",
    derivedSchema(OPTIONS)
      .map((sql) => `--   ${sql.split("\n")[0]}`)
      .join("\n"),
    ended(FIND_DAYS),
    "-- The sweep:",
    ...SWEPT_TABLES.map((table) => ended(withoutComments(sweepSql(table, OPTIONS.cluster)))),
    "-- Retention, with mutations_sync = 2:",
    ...(await retentionStatements()).map(ended),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** What retention says to an engine in which there is something to remove everywhere. */
async function retentionStatements(): Promise<string[]> {
  const said: string[] = [];
  const engine = {
    selectJson: async <T>() => ({
      ...{ meta: [], rows: 1, statistics: { elapsed: 0, rows_read: 0, bytes_read: 0 } },
      data: [{ month: 202601, part: "202601_1_1_0", stored: 1, expired: 1, n: 1 } as T],
    }),
    command: async (sql: string) => void said.push(sql),
  };
  const options = { nowMs: 0, cluster: OPTIONS.cluster };
  await removeExpiredEvents(engine, [{ projectId: "prj", days: 1 }], options);
  await removeOldParked(engine, options);
  return said;
}

function ended(sql: string): string {
  return `${sql.trim()};`;
}

function withoutComments(sql: string): string {
  return sql.replaceAll(/^--.*\n/gm, "");
}
