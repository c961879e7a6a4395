/** One request with a BI token or a key, made to cost much, holds nobody else up: the event loop stays free. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { after, before, describe, test } from "node:test";
import { type BiApi, type BiProject, startBiApi } from "../support/bi-api.ts";
import { startTestEngine } from "../support/engine.ts";
import { expectShortHolds } from "../support/held-loop.ts";

/** R29: nobody waits longer for any request of somebody else. */
const MOST_MS = 50;

const numbers = (count: number) => JSON.stringify(Array.from({ length: count }, (_, i) => i));
/** One row of about 0.7 MB for each copy. */
const longRow = (copies: number) =>
  `SELECT groupArray(b) AS g FROM (SELECT groupArray(a) AS b FROM (SELECT ${numbers(200)} AS a) t,
  (SELECT i.k AS x FROM (SELECT arrayJoin(${numbers(200)}) AS k) i, (SELECT arrayJoin([1,2,3,4,5]) AS l) j) u) v,
  (SELECT arrayJoin(${numbers(copies)}) AS y) w`;
/** 200,000 rows of three columns. */
const MANY_ROWS = `SELECT a * 1000 + b AS n, toString(a) AS t, b / 7 AS f FROM (SELECT arrayJoin(${numbers(200)}) AS a) x,
  (SELECT i.b * 5 + j.b AS b FROM (SELECT arrayJoin(${numbers(200)}) AS b) i, (SELECT arrayJoin([0,1,2,3,4]) AS b) j) y
  LIMIT 200000`;
const parts = (count: number) =>
  `${Array.from({ length: count }, (_, i) => `--b\r\nContent-Disposition: form-data; name="${i.toString(36)}"\r\n\r\n\r\n`).join("")}--b--\r\n`;

describe("a request that is made to cost much", () => {
  let bi: BiApi;
  let own: BiProject;
  let key = "";
  before(async () => {
    bi = await startBiApi({}, startTestEngine);
    own = await bi.createProject();
    key = (await bi.api.createKey({ workspaceId: own.workspaceId })).text;
  });
  after(() => bi.stop());

  /** Reads the answer without keeping it, so that what is measured is the server's work. */
  async function send(path: string, token: string, type: string, body: string) {
    const sent = request(`${bi.api.apiUrl}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": type },
    });
    sent.end(body);
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    let [bytes, first] = [0, ""];
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      if (bytes === 0) first = chunk.toString("latin1", 0, 300);
      bytes += chunk.length;
    }
    return { status: answer.statusCode ?? 0, bytes, first };
  }
  const clickhouse = (query: string, body: string, type = "text/plain") =>
    send(`/clickhouse?${query}`, own.token, type, body);

  test("a form of 16,500 parts is refused", async () => {
    const body = parts(16_500);
    await expectShortHolds("the form", MOST_MS, async () => {
      const { status, first } = await clickhouse("", body, "multipart/form-data; boundary=b");
      assert.equal(status, 400);
      assert.match(first, /^Code: 36\. DB::Exception: A form of several parts has at most 65536 bytes/);
    });
  });

  test("a form of the most bytes that are taken, in the smallest parts", async () => {
    const body = parts(1_100);
    assert.ok(body.length < 64 * 1024);
    await expectShortHolds("the form", MOST_MS, async () => {
      const { status, first } = await clickhouse("", body, "multipart/form-data; boundary=b");
      assert.equal(status, 400);
      assert.match(first, /^Code: 36\. DB::Exception: A form has at most 200 parts/);
    });
  });

  test("thousands of uses of one parameter beside as many others as there may be", async () => {
    const query = `${Array.from({ length: 198 }, (_, i) => `param_${i}=1`).join("&")}&param_a=1`;
    await expectShortHolds("the parameters", MOST_MS, async () => {
      assert.ok((await clickhouse(query, `SELECT ${"{a:Int8}".repeat(4_000)}`)).status >= 400);
    });
  });

  test("a row of more than 4 MiB is refused", async () => {
    await expectShortHolds("the row", MOST_MS, async () => {
      const { status, first } = await clickhouse("default_format=JSON", longRow(20));
      assert.equal(status, 400, first);
      assert.match(first, /The answer has a row of more than 4194304 bytes/);
    });
  });

  for (const format of ["JSON", "Native", "TabSeparated"])
    test(`a row of 3 MB is answered: ${format}`, async () => {
      await expectShortHolds("the row", MOST_MS, async () => {
        const { status, bytes, first } = await clickhouse(`default_format=${format}`, longRow(4));
        assert.equal(status, 200, first);
        assert.ok(bytes > 100_000, String(bytes));
      });
    });

  for (const options of ["default_format=JSON", "default_format=JSONEachRow&compress=1", "default_format=RowBinary"])
    test(`200,000 rows are answered: ${options}`, async () => {
      await expectShortHolds("the rows", MOST_MS, async () => {
        const { status, bytes, first } = await clickhouse(options, MANY_ROWS);
        assert.equal(status, 200, first);
        assert.ok(bytes > 1_000_000, String(bytes));
      });
    });

  for (const [what, sql] of [
    ["a row of 3 MB", longRow(4)],
    ["200,000 rows", MANY_ROWS],
  ] as const)
    test(`a Parquet file of ${what}`, async () => {
      const path = `/v0/query?format=parquet&project_id=${own.projectId}`;
      await expectShortHolds("the file", MOST_MS, async () => {
        const { status, first } = await send(path, key, "application/json", JSON.stringify({ query: sql }));
        assert.equal(status, 200, first);
        assert.match(first, /^PAR1/);
      });
    });
});
