import { STORED_WHEN_ANSWERED } from "../../src/engines/analytics.ts";
import { CLUSTER_SETTINGS } from "../../src/warehouse/cluster-settings.ts";
import { createDatabaseSql, derivedSchema, schemaStatements } from "../../src/warehouse/migrate.ts";
import { FIND_DAYS } from "../../src/warehouse/rebuild.ts";
import { SWEPT_TABLES, sweepSql } from "../../src/warehouse/sweep-builds.ts";

const OPTIONS = { cluster: "main", database: "sextant" } as const;

/** Everything that Sextant says to a cluster in other words than to a single ClickHouse, or that changes the schema or many rows. */
export function clusterStatements(): string {
  const list = (settings: object) => Object.entries(settings).map(([name, value]) => `--   ${name} = ${value}`);
  const parts = [
    "-- What SEXTANT_CLICKHOUSE_CLUSTER=main makes of the schema in a database sextant. Generated (npm run generate), compared by a test.",
    ["-- With every statement:", ...list(CLUSTER_SETTINGS)].join("\n"),
    ["-- With every write:", ...list(STORED_WHEN_ANSWERED)].join("\n"),
    "-- Migrations, in order:",
    ...[createDatabaseSql(OPTIONS), ...schemaStatements(OPTIONS)].map(ended),
    "-- `sextant rebuild` creates what is missing of these, then:",
    derivedSchema(OPTIONS)
      .map((sql) => `--   ${sql.split("\n")[0]}`)
      .join("\n"),
    ended(FIND_DAYS),
    "-- The sweep:",
    ...SWEPT_TABLES.map((table) => ended(withoutComments(sweepSql(table, OPTIONS.cluster)))),
  ];
  return `${parts.join("\n\n")}\n`;
}

function ended(sql: string): string {
  return `${sql.trim()};`;
}

function withoutComments(sql: string): string {
  return sql.replaceAll(/^--.*\n/gm, "");
}
