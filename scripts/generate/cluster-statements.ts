import { collectGarbage } from "../../src/engines/clickhouse/collect-garbage.ts";
import type { Clickhouse } from "../../src/engines/clickhouse/database.ts";
import { schemaStatements } from "../../src/engines/clickhouse/migrate.ts";
import { rebuild } from "../../src/engines/clickhouse/rebuild.ts";
import { removeBefore, removeParkedBefore } from "../../src/engines/clickhouse/retention.ts";
import { CLUSTER_SETTINGS, WRITE_SETTINGS } from "../../src/engines/clickhouse/settings.ts";

const PLACE = { cluster: "main", database: "sextant" } as const;
const { signal } = new AbortController();

/** Every statement that differs for a cluster, or that changes the schema or many rows. */
export async function clusterStatements(): Promise<string> {
  const list = (settings: object) => Object.entries(settings).map(([name, value]) => `--   ${name} = ${value}`);
  const parts = [
    "-- What SEXTANT_CLICKHOUSE_CLUSTER=main makes of the schema in a database sextant. Generated (npm run generate), compared by a test.",
    ["-- With every statement:", ...list(CLUSTER_SETTINGS)].join("\n"),
    ["-- With every write:", ...list(WRITE_SETTINGS)].join("\n"),
    "-- Migrations, in order:",
    ...schemaStatements(PLACE).map(ended),
    "-- `sextant rebuild` (statements of the schema by their first lines):",
    ...(await said((clickhouse) => rebuild(clickhouse, () => undefined, signal))).map(short),
    "-- Garbage collection:",
    ...(await said((clickhouse) => collectGarbage(clickhouse, signal))).map(ended),
    "-- Retention, with mutations_sync = 2:",
    ...(
      await said((clickhouse) => removeBefore(clickhouse, [{ projectId: "prj", firstDay: "2026-01-01" }], 0, signal))
    ).map(ended),
    ...(await said((clickhouse) => removeParkedBefore(clickhouse, "2026-01-01", signal))).map(ended),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** The statements for a cluster on which every kind of work is pending, each statement once. */
async function said(work: (clickhouse: Clickhouse) => Promise<unknown>): Promise<string[]> {
  const statements = new Set<string>();
  const found = { month: 202601, part: "202601_1_1_0", stored: 1, n_expired: 1, n: 1, now_ms: 0 };
  const row = { ...found, name: "dirty_partitions", project: "prj", of_day: "2026-01-01", garbage: 1 };
  await work({
    ...PLACE,
    select: async <T>() => ({ rows: [row as T], statistics: { elapsed: 0, rows_read: 0, bytes_read: 0 } }),
    command: async (sql) => void statements.add(sql),
    stream: () => Promise.reject(new Error("not used")),
    insert: async () => undefined,
    ping: async () => undefined,
    close: async () => undefined,
  });
  return [...statements];
}

function ended(sql: string): string {
  return `${sql.trim()};`;
}

function short(sql: string): string {
  return sql.startsWith("CREATE") ? `--   ${sql.split("\n")[0]}` : ended(sql);
}
