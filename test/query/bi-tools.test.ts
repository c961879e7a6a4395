/**
 * The statements that BI tools send, each with what its client reads: names, types and values, or the reason of a
 * refusal. `bi/statements.json` lists them by tool.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { sampled } from "../../src/lib/testing.ts";
import { type BiApi, type BiProject, startBiApi } from "../support/bi-api.ts";
import { sampleEvent } from "../support/events.ts";
import { createTestWriter } from "../support/local-engine.ts";

interface Statement {
  readonly tool: string;
  readonly sql: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly names?: readonly string[];
  readonly types?: readonly string[];
  readonly rows?: readonly unknown[];
  /** The first value of the first row. */
  readonly begins?: string;
  /** The whole answer, of a statement with its own FORMAT. */
  readonly text?: string;
  readonly code?: number;
  readonly says?: string;
}

const STATEMENTS = JSON.parse(
  readFileSync(new URL("./bi/statements.json", import.meta.url), "utf8"),
) as readonly Statement[];
const TOOLS = [...new Set(STATEMENTS.map(({ tool }) => tool))];
const DAY = "2026-03-10";

function event(id: string, visitor: string, time: string, rest: Record<string, unknown> = {}): object {
  const at = `${DAY}T${time}Z`;
  return sampleEvent(id, { original_timestamp: at, sent_at: at, channel: "server", anonymous_id: visitor, ...rest });
}

describe("the statements of BI tools", () => {
  let bi: BiApi;
  let own: BiProject;

  before(async () => {
    bi = await startBiApi();
    own = await bi.createProject();
    const write = await createTestWriter(bi.engine);
    const events = [
      event("1", "ada", "10:00:00", { type: "page" }),
      event("2", "ada", "10:07:30", { type: "track", event: "Buy", properties: JSON.stringify({ revenue: 1.5 }) }),
      event("3", "bob", "11:00:00", { type: "page" }),
    ];
    await write(own.projectId, events, Date.parse(`${DAY}T12:00:00Z`));
  });
  after(() => bi.stop());

  function ask(sql: string, params: Readonly<Record<string, string>> = {}): Promise<Response> {
    const query = new URLSearchParams({ default_format: "JSONCompact", ...params }).toString();
    const headers = { authorization: `Bearer ${own.token}` };
    return fetch(`${bi.api.apiUrl}/clickhouse?${query}`, { method: "POST", headers, body: sql });
  }

  async function check({ sql, params, ...expected }: Statement): Promise<void> {
    const answer = await ask(sql, params);
    const text = (await answer.text()).replaceAll(own.projectId, "{project}");
    if (expected.code !== undefined) {
      assert.equal(answer.headers.get("x-clickhouse-exception-code"), String(expected.code), text);
      assert.ok(text.startsWith(`Code: ${expected.code}. DB::Exception: ${expected.says}`), text);
      return;
    }
    assert.equal(answer.status, 200, text);
    if (expected.text !== undefined) return assert.equal(text, expected.text);
    const found = JSON.parse(text) as { meta: { name: string; type: string }[]; data: unknown[][]; rows: number };
    const [names, types] = [found.meta.map(({ name }) => name), found.meta.map(({ type }) => type)];
    assert.deepEqual([names, types], [expected.names, expected.types]);
    if (expected.rows !== undefined) assert.deepEqual(found.data, expected.rows);
    if (expected.begins !== undefined) assert.ok(String(found.data[0]?.[0]).startsWith(expected.begins), text);
    assert.equal(found.rows, found.data.length);
  }

  test("are at least 120, of every tool of the guide", () => {
    assert.ok(STATEMENTS.length >= 120, String(STATEMENTS.length));
    const guide = readFileSync(new URL("../../docs/bi.md", import.meta.url), "utf8");
    for (const tool of TOOLS) {
      const count = STATEMENTS.filter((one) => one.tool === tool).length;
      assert.ok(guide.includes(`| ${tool} | ${count} |`), `docs/bi.md says ${count} statements of ${tool}`);
    }
  });

  for (const tool of TOOLS)
    describe(tool, () => {
      for (const [at, statement] of sampled([...STATEMENTS.filter((one) => one.tool === tool).entries()], 4))
        test(`${at + 1}: ${statement.sql.replaceAll(/\s+/g, " ").trim().slice(0, 120)}`, () => check(statement));
    });

  test("a GET at / is the endpoint, and a wrong password is no success", async () => {
    const get = (path: string, headers: Record<string, string>) => fetch(`${bi.api.apiUrl}${path}`, { headers });
    const basic = (token: string) => ({ authorization: `Basic ${Buffer.from(`default:${token}`).toString("base64")}` });
    const sql = `/?query=${encodeURIComponent("SELECT 1 AS one FORMAT TSV")}`;
    assert.equal(await (await get(sql, basic(own.token))).text(), "1\n");
    const wrong = await get(sql, basic("sxr_wrong"));
    assert.deepEqual([wrong.status, wrong.headers.get("x-clickhouse-exception-code")], [403, "516"]);
    const byKey = await get("/?default_format=TSV", {
      "x-clickhouse-user": "default",
      "x-clickhouse-key": "sxr_wrong",
    });
    assert.equal(byKey.status, 403);
    assert.equal((await get(sql, {})).status, 401);
    assert.equal((await get("/", { accept: "text/html" })).headers.get("x-clickhouse-exception-code"), null);
  });

  test("an insert is readonly, packed or not", async () => {
    const insert = "INSERT INTO events FORMAT JSONEachRow";
    for (const headers of [{}, { "content-encoding": "gzip" }] as const) {
      const answer = await fetch(`${bi.api.apiUrl}/clickhouse?${new URLSearchParams({ query: insert }).toString()}`, {
        method: "POST",
        headers: { authorization: `Bearer ${own.token}`, ...headers },
        body: Buffer.from([31, 139, 8, 0]),
      });
      assert.equal(answer.headers.get("x-clickhouse-exception-code"), "164");
    }
    const packed = await fetch(
      `${bi.api.apiUrl}/clickhouse?${new URLSearchParams({ query: insert, decompress: "1" }).toString()}`,
      {
        method: "POST",
        headers: { authorization: `Bearer ${own.token}` },
        body: "x",
      },
    );
    assert.equal(packed.headers.get("x-clickhouse-exception-code"), "164");
  });

  test("a JSON document has its parts on lines of their own, as readers of streams expect", async () => {
    const text = await (await ask("SELECT type FROM events ORDER BY message_id LIMIT 2 FORMAT JSON")).text();
    const lines = text.split("\n").map((line) => line.trim());
    for (const line of ['"meta":', '"data":', '{"type":"page"},', '{"type":"track"}', '"rows": 2,'])
      assert.ok(lines.includes(line), `${line} in ${text}`);
  });

  test("a table that is named with its database is read, whatever stands before the name", async () => {
    for (const sql of [
      "SELECT count(*) FROM default.events",
      "SELECT count(*)FROM default.events",
      "SELECT count(*) FROM\n\t`default`.`events`",
      "SELECT count(*) FROM (SELECT 1 FROM default.events)",
    ])
      assert.equal(await (await ask(`${sql} FORMAT TSV`)).text(), "3\n", sql);
  });
});
