/** What differs between the engines: how SQL answers are written, and how stored events are noticed. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type BoardApi, startBoardApi } from "../support/board-api.ts";
import { ENGINES } from "../support/both-engines.ts";
import { sampleEvent } from "../support/events.ts";
import { waitFor } from "../support/wait.ts";

/** A column of each kind, large numbers, and what is inside of others. */
const VALUES = [
  "count() AS n",
  "round(sum(revenue), 6) AS revenue",
  "toUInt64(18446744073709551615) AS big",
  "[toUInt64(18446744073709551615), 2] AS list",
  "(toUInt64(5), 'five') AS pair",
  "min(timestamp) AS at",
  "max(toDate(timestamp)) AS day",
  "arraySort(groupArray(DISTINCT type)) AS types",
  "round(avg(volume), 6) AS volume",
  "NULL AS nothing",
].join(", ");
const WHERE = "WHERE toDate(timestamp) >= '2020-01-01' AND toDate(timestamp) <= toDate('2100-01-01')";
const PLACED = WHERE.replace("'2020-01-01'", "'{{date_from}}'").replace("toDate('2100-01-01')", "{{date_to}}");

for (const { name, skip, start } of ENGINES)
  describe(`charts on ${name}`, { skip }, () => {
    let boards: BoardApi;
    let path: string;
    before(async () => {
      boards = await startBoardApi("sqlite", start);
      const { id } = await boards.get<{ id: string }>("POST", "/v0/boards", { title: "Test" });
      path = `/v0/boards/${id}/charts`;
    });
    after(() => boards.stop());

    const dataOf = (text: string) => /"data":(\[.*?\}\]),/s.exec(text)?.[1];

    test("SQL is answered with the bytes of POST /v0/query, and a stored event is seen", async () => {
      const chart = { chart_type: "table", title: "t", query: `SELECT ${VALUES} FROM events ${PLACED}` };
      const { id } = await boards.get<{ id: string }>("POST", path, chart);
      const run = () => boards.call("GET", `${path}/${id}?include=results&date_from=2020-01-01&date_to=2100-01-01`);
      const asked = await boards.call("POST", "/v0/query", { query: `SELECT ${VALUES} FROM events ${WHERE}` });
      const [found, expected] = [dataOf(await (await run()).text()), dataOf(await asked.text())];
      assert.ok(expected?.includes("18446744073709551615"), expected);
      assert.equal(found, expected);
      await boards.store([sampleEvent("later", { original_timestamp: new Date().toISOString() })]);
      await waitFor("the new event to be seen", async () => dataOf(await (await run()).text()) !== expected);
    });
  });
