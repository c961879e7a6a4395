/** The corpus of hostile statements, sent as a BI tool would send them: none shows anything of another project. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sampled } from "../../src/lib/testing.ts";
import { type BiApi, startBiApi } from "../support/bi-api.ts";
import { hasCanary, plantEvents, readAttacks } from "../support/sql-attacks.ts";

/** Statements that ClickHouse's protocol adds to those of POST /v0/query. */
const OWN_ATTACKS = [
  "SELECT * FROM system.users",
  "SELECT * FROM system.processes",
  "SELECT * FROM `system`.`query_log`",
  'SELECT * FROM "system.tables" UNION ALL SELECT * FROM events',
  "SELECT * FROM system.events",
  "SELECT * FROM main.events",
  "SELECT * FROM default.main.events",
  "SELECT * FROM default.default.events",
  "DESCRIBE TABLE main.events",
  "DESCRIBE (SELECT * FROM main.events)",
  "DESCRIBE (SELECT 1) UNION ALL (SELECT * FROM main.events)",
  "EXISTS main.events",
  "SHOW TABLES LIKE '%' UNION SELECT project_id FROM main.events",
  "SELECT 1 SETTINGS additional_table_filters = {'events': '1'}",
  "SELECT 1 /* */ ; SELECT * FROM main.events",
  "SELECT 1 -- \n FROM main.events",
  "SELECT 'a\\'' UNION ALL SELECT project_id FROM main.events --'",
  "SELECT 'a\\\\' || (SELECT project_id FROM main.events LIMIT 1) || ''",
  'SELECT "a\\" FROM main.events --"',
  "SELECT x ? y : (SELECT project_id FROM main.events)",
  "SELECT quantile(0.5)((SELECT revenue FROM main.events LIMIT 1)) FROM events",
  "SELECT CAST((SELECT project_id FROM main.events LIMIT 1) AS Nullable(String))",
  "SELECT * FROM {t:Identifier}",
  "SELECT {x:String} FROM {t:Identifier}.events",
  "SELECT version(), (SELECT project_id FROM main.events LIMIT 1)",
  'WITH "system.tables" AS (SELECT * FROM main.events) SELECT * FROM system.tables',
  "SELECT from_json('[1]', '[\"INT\"]')",
  "SELECT * FROM information_schema.users",
  "SELECT * FROM information_schema.tables UNION ALL SELECT * FROM main.information_schema.tables",
  "SELECT * FROM main.information_schema.columns",
  "SELECT table_name FROM INFORMATION_SCHEMA.TABLES WHERE table_catalog != 'default'",
  "SELECT create_table_query, uuid, data_paths, metadata_path FROM system.tables",
  'WITH "information_schema.tables" AS (SELECT * FROM main.events) SELECT * FROM information_schema.tables',
  "SHOW CREATE TABLE main.events",
  "SHOW CREATE TABLE system.tables",
  "SELECT map('a', (SELECT project_id FROM main.events LIMIT 1))",
  "SELECT toTypeName((SELECT project_id FROM main.events LIMIT 1))",
  "SELECT multiSearchAny(type, (SELECT groupArray(project_id) FROM main.events)) FROM events",
  "SELECT (SELECT revenue FROM main.events LIMIT 1, 1)",
  "SELECT 1 LIMIT 0, 1 UNION ALL SELECT project_id FROM main.events",
  "SELECT toDecimal64((SELECT max(revenue) FROM main.events), 2)",
  "SELECT now() + INTERVAL -1 day, project_id FROM main.events",
  "SELECT 1 FROM default.events, main.events",
  "USE main",
  "SET enable_external_access = true",
] as const;

describe("hostile SQL over ClickHouse's protocol", () => {
  let bi: BiApi;
  let token = "";
  let others: string[] = [];

  before(async () => {
    bi = await startBiApi();
    const own = await bi.createProject();
    const [sibling, foreign] = [await bi.createProject(own.workspaceId), await bi.createProject()];
    others = [sibling.projectId, foreign.projectId];
    token = own.token;
    await plantEvents(bi.engine, own.projectId, others);
  });
  after(() => bi.stop());

  async function ask(sql: string, params: Record<string, string> = {}): Promise<{ status: number; text: string }> {
    const query = new URLSearchParams({ default_format: "JSON", ...params }).toString();
    const answer = await fetch(`${bi.api.apiUrl}/clickhouse?${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: sql,
    });
    return { status: answer.status, text: await answer.text() };
  }

  async function check(sql: string, params: Record<string, string> = {}): Promise<void> {
    const { status, text } = await ask(sql, params);
    // What was sent may be repeated.
    const sent = sql + Object.values(params).join();
    const shown = others.reduce((all, id) => (sent.includes(id) ? all.replaceAll(id, "") : all), text);
    assert.ok(!hasCanary(shown, others), `${sql} shows another project: ${text.slice(0, 500)}`);
    assert.ok(status < 500 || status === 501, `${sql}: ${status} ${text.slice(0, 300)}`);
    if (status >= 400) assert.match(text, /^Code: \d+\. DB::Exception: /);
  }

  test("the tables have the project's own rows, so that the corpus has something to find", async () => {
    assert.deepEqual((JSON.parse((await ask("SELECT count() AS n FROM events")).text) as { data: unknown }).data, [
      { n: "300" },
    ]);
  });

  test("no statement of the corpus shows another project", async () => {
    // The heavy ones are about limits, which are those of every statement (sql-attacks.test.ts).
    const attacks = readAttacks().filter(({ group }) => group !== "heavy");
    assert.ok(attacks.length > 100);
    const left = sampled(attacks, 40).values();
    const send = async () => {
      for (const { sql } of left) await check(sql);
    };
    await Promise.all([send(), send(), send()]);
  });

  test("nor does one that only this protocol understands", async () => {
    const values = { param_t: "main.events", param_x: "' UNION ALL SELECT project_id FROM main.events --" };
    for (const sql of OWN_ATTACKS) await check(sql, values);
    for (const id of others) {
      await check(`SELECT * FROM ${id}.events`);
      await check("SELECT * FROM events", { database: id });
    }
  });

  test("and the project's rows are still there", async () => {
    assert.match((await ask("SELECT count() AS n FROM events FORMAT TSV")).text, /^300\n$/);
  });
});
