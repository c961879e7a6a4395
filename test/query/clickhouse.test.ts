import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { listBiTokens, revokeBiToken } from "../../src/control/bi-tokens.ts";
import { type BiApi, type BiProject, startBiApi } from "../support/bi-api.ts";
import { sampleEvent } from "../support/events.ts";
import { createTestWriter } from "../support/local-engine.ts";
import { waitFor } from "../support/wait.ts";

const DAY = "2026-03-10";
const NAME = "Buy 'n' \\go";

function event(id: string, visitor: string, time: string, rest: Record<string, unknown> = {}): object {
  const at = `${DAY}T${time}Z`;
  return sampleEvent(id, { original_timestamp: at, sent_at: at, channel: "server", anonymous_id: visitor, ...rest });
}

describe("ClickHouse's protocol for BI tools", () => {
  let bi: BiApi;
  let own: BiProject;
  let foreign: BiProject;
  let client: ClickHouseClient;
  const clients: ClickHouseClient[] = [];

  before(async () => {
    bi = await startBiApi();
    own = await bi.createProject();
    foreign = await bi.createProject();
    const write = await createTestWriter(bi.engine);
    const context = JSON.stringify({ page_url: "https://a.example/" });
    await write(
      own.projectId,
      [
        event("1", "ada", "10:00:00", { type: "page", context }),
        event("2", "ada", "10:07:30", { type: "track", event: NAME, properties: JSON.stringify({ revenue: 1.5 }) }),
        event("3", "bob", "11:00:00", { type: "page" }),
      ],
      Date.parse(`${DAY}T12:00:00Z`),
    );
    client = connect();
  });
  after(async () => {
    for (const one of clients) await one.close();
    await bi.stop();
  });

  /** As a stranger would use the official client. */
  function connect(options: Parameters<typeof createClient>[0] = {}): ClickHouseClient {
    const server = { url: bi.api.apiUrl, pathname: "/clickhouse" };
    const made = createClient({
      ...server,
      username: "default",
      password: own.token,
      log: { level: ClickHouseLogLevel.OFF },
      // After 2.5 s, its default, the client closes a connection, also one that a request has just taken.
      keep_alive: { enabled: true, idle_socket_ttl: 60_000 },
      ...options,
    });
    clients.push(made);
    return made;
  }
  async function rows<T>(query: string, query_params: Record<string, unknown> = {}): Promise<T[]> {
    return (await client.query({ query, format: "JSONEachRow", query_params })).json<T>();
  }
  /** A request by hand. */
  function ask(
    sql: string,
    options: { params?: Record<string, string>; headers?: Record<string, string>; path?: string } = {},
  ) {
    const query = new URLSearchParams(options.params).toString();
    return fetch(`${bi.api.apiUrl}${options.path ?? "/clickhouse"}?${query}`, {
      method: "POST",
      headers: { authorization: basic("default", own.token), ...options.headers },
      body: sql,
    });
  }
  const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

  describe("with the official client", () => {
    test("a ping and a query by GET answer", async () => {
      assert.deepEqual(await client.ping(), { success: true });
      assert.deepEqual(await client.ping({ select: true }), { success: true });
      const byUrl = connect({ url: `${bi.api.apiUrl}/clickhouse`, pathname: "" });
      const answer = await byUrl.query({ query: "SELECT currentDatabase() AS d", format: "JSONEachRow" });
      assert.deepEqual(await answer.json(), [{ d: "default" }]);
    });

    test("rows, documents and texts come in the asked format", async () => {
      const query = "SELECT type, count() AS n FROM events GROUP BY type ORDER BY type";
      assert.deepEqual(await rows(query), [
        { type: "page", n: "2" },
        { type: "track", n: "1" },
      ]);
      const json = await (await client.query({ query, format: "JSON" })).json();
      assert.deepEqual(
        json.meta?.map(({ name }) => name),
        ["type", "n"],
      );
      assert.equal(json.rows, 2);
      const csv = await (await client.query({ query, format: "CSVWithNames" })).text();
      assert.equal(csv, '"type","n"\n"page",2\n"track",1\n');
      const numbers = await client.query({
        query,
        format: "JSONEachRow",
        clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
      });
      assert.deepEqual(
        (await numbers.json<{ n: number }>()).map(({ n }) => n),
        [2, 1],
      );
    });

    test("a stream gives its rows one after the other, packed or not", async () => {
      for (const response of [true, false]) {
        const packed = connect({ compression: { response } });
        const answer = await packed.query({
          query: "SELECT message_id FROM events ORDER BY message_id",
          format: "JSONEachRow",
        });
        const seen: unknown[] = [];
        for await (const batch of answer.stream()) for (const row of batch) seen.push(row.json());
        assert.equal(seen.length, 3);
      }
    });

    test("parameters are bound, whatever they contain", async () => {
      const query = "SELECT count() AS n FROM events WHERE event = {name:String} AND timestamp < {at:DateTime}";
      const at = new Date(`${DAY}T10:30:00Z`);
      assert.deepEqual(await rows(query, { name: NAME, at }), [{ n: "1" }]);
      assert.deepEqual(await rows(query, { name: "' OR 1=1 --", at }), [{ n: "0" }]);
      const list = await rows("SELECT count() AS n FROM events WHERE type IN {types:Array(String)}", {
        types: ["page", "x"],
      });
      assert.deepEqual(list, [{ n: "2" }]);
    });

    test("writing is refused with ClickHouse's code", async () => {
      const isReadonly = (cause: unknown) =>
        cause instanceof ClickHouseError && cause.code === "164" && cause.type === "READONLY";
      await assert.rejects(client.insert({ table: "events", values: [{ a: 1 }], format: "JSONEachRow" }), isReadonly);
      await assert.rejects(client.command({ query: "CREATE TABLE t (a Int8) ENGINE = Memory" }), isReadonly);
      await assert.rejects(client.exec({ query: "DROP TABLE events" }), isReadonly);
      await assert.rejects(client.query({ query: "SELECT * FROM nowhere" }), /nowhere/);
    });

    test("a query whose client goes away ends", async () => {
      const gone = new AbortController();
      const query = "SELECT count() AS n FROM events a, events b, events c";
      const asked = client.query({ query, abort_signal: gone.signal });
      gone.abort();
      await assert.rejects(asked, /abort/i);
      assert.deepEqual(await rows("SELECT 1 AS one"), [{ one: 1 }]);
    });
  });

  describe("a credential", () => {
    test("may be sent in every header that clients use", async () => {
      const table: Record<string, string>[] = [
        { authorization: basic("default", own.token) },
        { authorization: basic(own.projectId, own.token) },
        { authorization: basic("formo", own.token) },
        { authorization: `Bearer ${own.token}` },
        { authorization: "", "x-clickhouse-user": own.projectId, "x-clickhouse-key": own.token },
      ];
      for (const headers of table)
        assert.equal((await ask("SELECT 1", { headers })).status, 200, JSON.stringify(headers));
    });

    test("that is missing, wrong, of another project or in the URL is refused", async () => {
      const table: [Record<string, string>, Record<string, string>, number, number][] = [
        [{ authorization: "" }, {}, 401, 194],
        [{ authorization: basic("default", "sxr_wrong") }, {}, 403, 516],
        [{ authorization: basic("default", `${own.token}x`) }, {}, 403, 516],
        [{ authorization: basic(foreign.projectId, own.token) }, {}, 403, 516],
        [{ authorization: "" }, { user: "default", password: own.token }, 403, 516],
      ];
      for (const [headers, params, status, code] of table) {
        const answer = await ask("SELECT 1", { headers, params });
        assert.equal(answer.status, status);
        assert.equal(answer.headers.get("x-clickhouse-exception-code"), String(code));
        const text = await answer.text();
        assert.match(text, new RegExp(`^Code: ${code}\\. DB::Exception: .* \\(version `));
        assert.ok(!text.includes(own.token));
      }
    });

    test("an API key is no BI token, and a BI token is no API key", async () => {
      const { text } = await bi.api.createKey({ workspaceId: own.workspaceId });
      assert.equal((await ask("SELECT 1", { headers: { authorization: basic("default", text) } })).status, 403);
      const asKey = await fetch(`${bi.api.apiUrl}/v0/top_sources`, {
        headers: { authorization: `Bearer ${own.token}` },
      });
      assert.equal(asKey.status, 401);
    });

    test("stops within a second when it is revoked, and shows the hour of its last use", async () => {
      const text = await bi.createToken(own.workspaceId, own.projectId);
      const headers = { authorization: basic("default", text) };
      assert.equal((await ask("SELECT 1", { headers })).status, 200);
      const list = await listBiTokens(bi.api.store.read, own.workspaceId);
      const used = list.find(({ prefix }) => prefix === text.slice(0, 10));
      assert.ok(used?.lastUsedAtMs);
      assert.equal(used.lastUsedAtMs % 3_600_000, 0);
      await bi.api.store.write((tx) => revokeBiToken(tx, own.workspaceId, used.id, Date.now()));
      await waitFor("the token to stop", async () => (await ask("SELECT 1", { headers })).status === 403, 1_000);
    });

    test("sees the rows of its own project alone", async () => {
      const headers = { authorization: basic("default", foreign.token) };
      for (const sql of [
        "SELECT count() FROM events",
        `SELECT count() FROM events WHERE 1 = 1 OR anonymous_id = 'ada'`,
        "SELECT count() FROM (SELECT * FROM default.events UNION ALL SELECT * FROM events)",
      ])
        assert.equal(await (await ask(sql, { headers })).text(), "0\n", sql);
      const database = await ask("SELECT 1", { headers, params: { database: own.projectId } });
      assert.equal(database.headers.get("x-clickhouse-exception-code"), "81");
      assert.match(await (await ask(`SELECT count() FROM ${own.projectId}.events`, { headers })).text(), /^Code: /);
    });
  });

  describe("what other clients send", () => {
    test("clickhouse-connect: its first requests, and Native without a block's head", async () => {
      const first = await ask("SELECT version(), timezone()");
      assert.match(await first.text(), /^\d+\.\d+\.\d+\.\d+\tUTC\n$/);
      const settings = await ask(
        "SELECT name, value, readonly as readonly FROM system.settings LIMIT 10000\n FORMAT Native",
        {
          params: { wait_end_of_query: "1" },
        },
      );
      assert.equal(settings.headers.get("x-clickhouse-format"), "Native");
      const body = Buffer.from(await settings.arrayBuffer());
      assert.equal(body[0], 3);
      assert.ok(body.includes("enable_http_compression") && body.includes("Nullable(UInt8)"));
      const check = await ask("SELECT 1 AS check\n FORMAT Native", { params: { client_protocol_version: "54405" } });
      // The client looks for these bytes to learn that the server knows the protocol's version.
      assert.deepEqual(Buffer.from(await check.arrayBuffer()).subarray(8, 16), Buffer.from("\x01\x01\x05check"));
      const packed = await ask("SELECT type FROM events", {
        params: { enable_http_compression: "1", session_id: "x", query_id: "q-1", send_progress_in_http_headers: "1" },
        headers: { "accept-encoding": "zstd,gzip,br" },
      });
      assert.equal(packed.headers.get("content-encoding"), "gzip");
      assert.equal(packed.headers.get("x-clickhouse-query-id"), "q-1");
      assert.equal(packed.headers.get("x-clickhouse-timezone"), "UTC");
    });

    test("clickhouse-go and Grafana: hello, ping, tables, columns and a time series", async () => {
      const params = { default_format: "Native", client_protocol_version: "54483", database: "default" };
      const native = async (sql: string) => {
        const answer = await ask(sql, { params });
        assert.equal(answer.status, 200, sql);
        return Buffer.from(await answer.arrayBuffer());
      };
      const hello = await native("SELECT displayName(), version(), revision(), timezone()");
      assert.deepEqual([...hello.subarray(0, 10)], [1, 0, 2, 255, 255, 255, 255, 0, 4, 1]);
      assert.ok(hello.includes("revision()"));
      assert.ok(hello.includes("UInt32"));
      assert.ok((await native("SELECT 1")).includes(Buffer.from("\x01" + "1")));
      for (const sql of [
        "SELECT database, name FROM system.tables ORDER BY database, name",
        "SELECT database, table, name, type, comment FROM system.columns WHERE (database, table) IN (('default', 'events')) ORDER BY database, table, position",
        "SELECT name, database, table FROM system.columns WHERE (database = currentDatabase() AND table IN ('events'))",
        'DESCRIBE TABLE "default"."events"',
        "SELECT DISTINCT type FROM default.events SETTINGS max_execution_time=10",
        "SHOW TABLES FROM default",
      ])
        assert.ok((await native(sql)).length > 20, sql);
      const [from, to] = [`${DAY}T10:00:00Z`, `${DAY}T10:59:59Z`].map((text) => Date.parse(text) / 1000);
      const series = `SELECT toStartOfInterval(toDateTime(timestamp), INTERVAL 300 second) AS time, count() AS n FROM events WHERE timestamp >= toDateTime(${from}) AND timestamp <= toDateTime(${to}) GROUP BY time ORDER BY time`;
      assert.deepEqual(
        (await rows<{ time: string; n: string }>(series)).map(({ time, n }) => [time.slice(0, 19), n]),
        [
          [`${DAY} 10:00:00`, "1"],
          [`${DAY} 10:05:00`, "1"],
        ],
      );
    });

    test("JDBC and Metabase: POST to /, RowBinary in LZ4 blocks, the driver's metadata", async () => {
      const headers = { "x-clickhouse-format": "RowBinaryWithNamesAndTypes", "content-type": "text/plain" };
      const params = { compress: "1", wait_end_of_query: "1", async_insert: "0" };
      const binary = async (sql: string) => {
        const answer = await ask(sql, { path: "/", headers, params });
        assert.equal(answer.status, 200, `${sql} ${answer.headers.get("x-clickhouse-exception-code")}`);
        const body = Buffer.from(await answer.arrayBuffer());
        assert.equal(body[16], 0x82);
        return body;
      };
      const info = await binary("SELECT currentUser() AS user, timezone() AS timezone, version() AS version LIMIT 1");
      assert.ok(info.includes("timezone") && info.includes("UTC"));
      for (const sql of [
        "SELECT 1",
        "SELECT name AS TABLE_SCHEM, '' AS TABLE_CATALOG FROM system.databases ORDER BY name",
        TABLES_OF_JDBC,
        COLUMNS_OF_JDBC,
        KEYS_OF_JDBC,
        "WITH s AS (SELECT version() AS ver, splitByChar('.', ver) AS verSplit) SELECT s.ver, toInt32(verSplit[1]), toInt32(verSplit[2]) FROM s",
        "SELECT value='1' FROM system.settings WHERE name='cloud_mode'",
        "SELECT count() = 0 FROM system.clusters WHERE is_local = 0",
        "-- Metabase:: userID: 1 queryType: MBQL\nSELECT toStartOfMonth(`default`.`events`.`timestamp`) AS `timestamp`, COUNT(*) AS `count` FROM `default`.`events` WHERE `default`.`events`.`timestamp` >= parseDateTimeBestEffort('2026-01-01 00:00:00.000', 'UTC') GROUP BY toStartOfMonth(`default`.`events`.`timestamp`) ORDER BY toStartOfMonth(`default`.`events`.`timestamp`) ASC",
        "SELECT `default`.`events`.`type` AS `type` FROM `default`.`events` WHERE startsWithUTF8(lowerUTF8(`default`.`events`.`type`), lowerUTF8('P')) LIMIT 2000",
      ])
        await binary(sql);
      const columns = await ask(`${COLUMNS_OF_JDBC} FORMAT JSONEachRow`);
      const [column] = (await columns.text())
        .split("\n")
        .map((line) => JSON.parse(line || "null") as { TABLE_NAME: string; IS_NULLABLE: string });
      assert.equal(column?.TABLE_NAME, "events");
      assert.equal(column?.IS_NULLABLE, "NO");
    });

    test("curl: a query in the URL, a form's content type, and failures as text", async () => {
      const headers = {
        authorization: basic("default", own.token),
        "content-type": "application/x-www-form-urlencoded",
      };
      const inUrl = await fetch(
        `${bi.api.apiUrl}/clickhouse/?query=${encodeURIComponent("SELECT 1 AS x FORMAT JSON")}`,
        { headers },
      );
      assert.deepEqual(((await inUrl.json()) as { data: unknown }).data, [{ x: 1 }]);
      assert.equal(await (await ask("SELECT 2", { headers })).text(), "2\n");
      const form = new FormData();
      form.set("query", "SELECT {x:String} AS y");
      form.set("param_x", "multi\\tpart");
      const multipart = await fetch(`${bi.api.apiUrl}/clickhouse`, {
        method: "POST",
        headers: { authorization: basic("default", own.token) },
        body: form,
      });
      assert.equal(await multipart.text(), "multi\\tpart\n");
      const ping = await fetch(`${bi.api.apiUrl}/clickhouse/ping`);
      assert.equal(await ping.text(), "Ok.\n");
    });

    test("what cannot be done has a code and says why", async () => {
      const table: [string, Record<string, string>, number][] = [
        ["SELECT 1 FORMAT Parquet", {}, 73],
        ["SELECT 1", { default_format: "Pretty" }, 73],
        ["SELECT 1", { database: "other" }, 81],
        ["SELECT 1", { join_use_nulls: "0" }, 115],
        ["SELECT 1", { session_timezone: "Europe/Berlin" }, 36],
        ["SELECT {x:String}", {}, 456],
        ["SELECT {x:UInt8}", { param_x: "a" }, 457],
        ["SELEC 1", {}, 62],
        ["SELECT * FROM system.users", {}, 60],
        ["INSERT INTO events VALUES (1)", {}, 164],
      ];
      for (const [sql, params, code] of table) {
        const answer = await ask(sql, { params });
        assert.equal(answer.headers.get("x-clickhouse-exception-code"), String(code), sql);
        assert.match(await answer.text(), new RegExp(`^Code: ${code}\\. DB::Exception: `));
      }
      const cut = await ask("SELECT message_id FROM events", {
        params: { max_result_rows: "2", result_overflow_mode: "break" },
      });
      assert.equal((await cut.text()).trim().split("\n").length, 2);
    });
  });
});

/** DatabaseMetaData of clickhouse-jdbc 0.9, shortened where it only repeats. */
const TABLES_OF_JDBC =
  "SELECT '' AS TABLE_CAT, t.database AS TABLE_SCHEM, t.name AS TABLE_NAME, if(t.is_temporary = 1, concat('Temporary', t.engine), t.engine) AS TABLE_TYPE, t.comment AS REMARKS, CAST(null as Nullable(String)) AS TYPE_CAT, d.engine AS TYPE_SCHEM, CAST(null as Nullable(String)) AS TYPE_NAME, CAST(null as Nullable(String)) AS SELF_REFERENCING_COL_NAME, CAST(null as Nullable(String)) AS REF_GENERATION FROM system.tables t JOIN system.databases d ON system.tables.database = system.databases.name WHERE t.database LIKE 'default' AND t.name LIKE '%' AND ( (t.engine IN ('View','MergeTree','Log')) OR (t.engine NOT IN ('View','Log') AND NOT t.engine LIKE 'System%' AND NOT t.engine LIKE 'Async%' AND t.is_temporary = 0)) AND (t.is_temporary = 0)";
const COLUMNS_OF_JDBC =
  "SELECT '' AS TABLE_CAT, database AS TABLE_SCHEM, table AS TABLE_NAME, name AS COLUMN_NAME, toInt32(1111) AS DATA_TYPE, type AS TYPE_NAME, toInt32(multiIf(character_octet_length IS NOT NULL, character_octet_length, system.columns.type == 'Int8', 1, system.columns.type == 'Int16', 2, numeric_precision IS NOT NULL, numeric_precision, 0)) AS COLUMN_SIZE, toInt32(0) AS BUFFER_LENGTH, toInt32(IF (numeric_scale == 0, NULL, numeric_scale)) as DECIMAL_DIGITS,  toInt32(numeric_precision_radix) AS NUM_PREC_RADIX, toInt32(position(type, 'Nullable(') >= 1 ?1 : 0) as NULLABLE, system.columns.comment AS REMARKS, system.columns.default_expression AS COLUMN_DEF, toInt32(0) AS SQL_DATA_TYPE, toInt32(0) AS SQL_DATETIME_SUB, character_octet_length::Nullable(Int32) AS CHAR_OCTET_LENGTH, toInt32(system.columns.position) AS ORDINAL_POSITION, position(upper(type), 'NULLABLE') >= 1 ? 'YES' : 'NO' AS IS_NULLABLE,CAST(NULL as Nullable(String)) AS SCOPE_CATALOG, CAST(NULL as Nullable(String)) AS SCOPE_SCHEMA, CAST(NULL as Nullable(String)) AS SCOPE_TABLE, CAST(NULL as Nullable(Int16)) AS SOURCE_DATA_TYPE, 'NO' as IS_AUTOINCREMENT, 'NO' as IS_GENERATEDCOLUMN  FROM system.columns WHERE database LIKE 'default' AND table LIKE 'events' AND name LIKE '%' ORDER BY TABLE_SCHEM, TABLE_NAME, ORDINAL_POSITION";
const KEYS_OF_JDBC =
  "SELECT NULL::Nullable(String) AS TABLE_CAT, system.tables.database AS TABLE_SCHEM, system.tables.name AS TABLE_NAME, trim(c.1) AS COLUMN_NAME, CAST(c.2 AS Int16) AS KEY_SEQ, 'PRIMARY' AS PK_NAME FROM system.tables ARRAY JOIN arrayZip(splitByChar(',', primary_key), arrayEnumerate(splitByChar(',', primary_key))) as c WHERE system.tables.primary_key <> '' AND system.tables.database ILIKE 'default' AND system.tables.name ILIKE 'events' ORDER BY COLUMN_NAME";
