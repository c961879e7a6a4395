/** URLs that are made to cost much, sent without a credential: they are refused before they are parsed. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startApi, type TestApi } from "../support/api.ts";
import { expectError } from "../support/envelope.ts";
import { expectShortHolds } from "../support/held-loop.ts";
import { sendRaw } from "../support/raw-http.ts";

/** Nobody else may wait longer for any request (docs/operations.md). */
const MOST_MS = 50;
const CHARS = 240_000;
const filled = (item: string) => item.repeat(Math.floor(CHARS / item.length));

const QUERIES: Record<string, string> = {
  "names without a value": filled("a&"),
  "names with a value": filled("a=1&"),
  "different names": Array.from({ length: 40_000 }, (_, i) => i.toString(36)).join("&"),
  "separators alone": filled("&"),
  "one encoded value": `a=${filled("%7C")}`,
  "one value with plus signs": `a=${filled("+")}`,
};

describe("a URL of 240 KB without a credential", () => {
  let api: TestApi;
  before(async () => {
    api = await startApi("sqlite", { failedAuthPerMinute: 1_000 });
  });
  after(() => api.stop());

  const send = (method: string, path: string, query: string) =>
    sendRaw(
      api.apiUrl,
      `${method} ${path}?${query} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
    );

  for (const [method, path] of [
    ["POST", "/clickhouse"],
    ["GET", "/clickhouse"],
    ["POST", "/"],
    ["GET", "/v0/kpis"],
    ["GET", "/api/forms"],
    ["GET", "/app"],
    ["GET", "/nothing"],
  ] as const)
    for (const [what, query] of Object.entries(QUERIES))
      test(`holds nobody up: ${method} ${path}, ${what}`, async () => {
        await expectShortHolds(what, MOST_MS, async () => {
          const { status } = await send(method, path, query);
          assert.ok(status >= 400 || path === "/app", String(status));
        });
      });

  test("is refused with a clear error: too many parameters, or too long for a BI tool", async () => {
    const answer = await send("GET", "/v0/kpis", "a&".repeat(201));
    assert.match((await expectError(answer, "plain", 400, "BAD_REQUEST")).message, /more than 200 parameters/);
    const many = await send("POST", "/clickhouse", "a&".repeat(201));
    assert.equal(many.status, 400);
    assert.match(await many.text(), /^Code: 36\. DB::Exception: The URL has more than 200 parameters/);
    const long = await send("POST", "/clickhouse", `query=${"x".repeat(16 * 1024)}`);
    assert.match(await long.text(), /^Code: 36\. DB::Exception: The URL is too long: at most 16384 bytes/);
  });

  test("200 parameters are taken, and filters may fill the URL", async () => {
    const { text } = await api.createKey();
    const get = (query: string) =>
      fetch(`${api.apiUrl}/v0/test_reads?${query}`, { headers: { authorization: `Bearer ${text}` } });
    assert.equal((await get(Array.from({ length: 200 }, (_, i) => `p${i}=%20`).join("&"))).status, 200);
    assert.equal((await get(`filters=${"%7C".repeat(80_000)}`)).status, 200);
    const { query } = (await (await get("limit=7&other=a+b%20c&other=2")).json()) as { query: { limit: number } };
    assert.equal(query.limit, 7);
  });
});

test("on the events server many parameters are refused, too", async (t) => {
  const api = await startApi("sqlite");
  t.after(() => api.stop());
  const answer = await fetch(`${api.eventsUrl}/v0/events?${"a&".repeat(300)}`, { method: "POST" });
  assert.match((await expectError(answer, "events", 400, "BAD_REQUEST")).message, /more than 200 parameters/);
});
