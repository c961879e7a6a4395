import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { writeJsonFunctions } from "../../../src/engines/clickhouse/json-functions.ts";

describe("the JSON functions of ClickHouse", () => {
  const calls = [
    "JSONExtractString(e.properties, {p0_key:String})",
    "JSONExtractString(e.context, 'locale')",
    "JSONExtractString(newest, name)",
    "JSONExtractKeys(v.properties)",
  ];
  for (const call of calls) {
    test(`${call} reads a refused text, too`, () => {
      const [, column = ""] = /\(([\w.]+)/.exec(call) ?? [];
      const written = writeJsonFunctions(`SELECT ${call} AS x`);
      assert.ok(written.includes(`if(isValidJSON(${column}), `), written);
      assert.match(written, / AS x$/);
    });
  }

  test("other SQL stays as it is", () => {
    const sql = "SELECT toString(JSONExtractRaw(e.properties, 'a')) FROM events AS e";
    assert.equal(writeJsonFunctions(sql), sql);
  });

  test("the stored status is read by the same expression", () => {
    const file = new URL("../../../src/engines/clickhouse/schema/0007_status_beside_long_numbers.sql", import.meta.url);
    const status = writeJsonFunctions("JSONExtractString(properties, 'status')");
    assert.ok(readFileSync(file, "utf8").includes(`if(type IN ('signature', 'transaction'), ${status}, '');`));
  });
});
