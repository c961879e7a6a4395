import type { Clickhouse } from "../../src/engines/clickhouse/database.ts";
import { materialize } from "../../src/engines/clickhouse/materialize.ts";
import { createRelations } from "../../src/engines/clickhouse/relations.ts";

const { signal } = new AbortController();
const NOTHING_READ = { elapsed: 0, rows_read: 0, bytes_read: 0 };

/**
 * The statements that ClickHouse receives about partitions: a report's catalogue read and relations, and a
 * materialization.
 */
export async function clickhouseStatements(): Promise<string> {
  const relations = await relationsStatements();
  const parts = [
    "-- Statements of the ClickHouse half about partitions. Generated (npm run generate), compared by a test.",
    "-- A report looks at the catalogue:",
    relations.look,
    "-- Its relations, where some partitions are clean and others dirty:",
    ...relations.ctes.map(({ name, sql }) => `-- ${name}\n${sql}`),
    "-- A partition is materialized: what it is made of, its sessions and its rollups.",
    ...(await materializeStatements()),
  ];
  return `${parts.join("\n\n")}\n`;
}

async function relationsStatements() {
  let look = "";
  const state = {
    project_id: "p",
    dirty_from: "2026-01-02",
    removed_before: "1970-01-01",
    revisions: [1],
    dirty_days: ["2026-01-02"],
    dirty_dedupe_days: ["2026-01-02"],
    window_dedupe_days: ["2026-01-01"],
  };
  const clickhouse = {
    async select<T>(sql: string) {
      look = sql;
      return { rows: [state as T], statistics: NOTHING_READ };
    },
  };
  const project = { id: "p", firstDay: "2026-01-01", withoutBots: true };
  const scope = { projects: [project], firstDay: "2026-01-01", lastDay: "2026-01-02" };
  const { ctes } = await createRelations(clickhouse).forReport(scope, signal);
  return { look, ctes };
}

async function materializeStatements(): Promise<string[]> {
  const said: string[] = [];
  const due = { project_id: "p", own_dedupe_days: [], own_depends_on: "0", started_ms: 0, read_ms: 0, earlier: [] };
  const clickhouse: Clickhouse = {
    database: "sextant",
    cluster: undefined,
    async select<T>(sql: string) {
      said.push(sql);
      return { rows: [due as T], statistics: NOTHING_READ };
    },
    command: async (sql) => void said.push(sql),
    stream: () => Promise.reject(new Error("not used")),
    insert: async () => undefined,
    ping: async () => undefined,
    close: async () => undefined,
  };
  await materialize(clickhouse, 0, [{ project_id: "p", day: "2026-01-01", without_bots: true }], signal);
  return said;
}
