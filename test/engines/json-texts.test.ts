/** What the engines read out of the JSON that clients wrote: one text for each value, whichever engine reads it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ENGINES, type StartedEngine } from "../support/both-engines.ts";

/** The JSON of a value -> its text. */
const VALUES: readonly (readonly [json: string, text: string])[] = [
  ["1", "1"],
  ["1.0", "1"],
  ["-1.0", "-1"],
  ["1e3", "1000"],
  ["1E2", "100"],
  ["12.50", "12.5"],
  ["0.05", "0.05"],
  ["10.0e-1", "1"],
  ["1e20", "100000000000000000000"],
  ["0.000001", "0.000001"],
  ["9007199254740993", "9007199254740993"],
  ["18446744073709551615", "18446744073709551615"],
  ["true", "true"],
  ["null", ""],
  ['"1.0"', "1.0"],
  ['"1e3"', "1e3"],
  ['"[1.0,2.0]"', "[1.0,2.0]"],
  [String.raw`"\"1.0\", 2.0"`, '"1.0", 2.0'],
  ['[1.0, 2.50, "1.0", [3.0]]', '[1,2.5,"1.0",[3]]'],
  ['{"a": 1.0, "b": {"c": "2.0", "d": 1e3}}', '{"a":1,"b":{"c":"2.0","d":1000}}'],
];

/** Numbers for which ClickHouse refuses the whole text. They are given as they were sent. */
const BEYOND: readonly (readonly [json: string, text: string])[] = [
  ["12345678901234567890123", "12345678901234567890123"],
  ["-98765432109876543210987", "-98765432109876543210987"],
  ["18446744073709551616", "18446744073709551616"],
  ["-9223372036854775809", "-9223372036854775809"],
  ["1e400", "1e400"],
  ["-2.5E+1000", "-2.5E+1000"],
  [`${"9".repeat(400)}.5`, `${"9".repeat(400)}.5`],
  ["0.12345678901234567890123", "0.12345678901234568"],
  [String.raw`"\"12345678901234567890123\", 1e400 \\"`, String.raw`"12345678901234567890123", 1e400 \ `.trim()],
  ['""', ""],
  ['[1e400, {"a": 12345678901234567890123, "b": "1e400"}]', '[1e400,{"a":12345678901234567890123,"b":"1e400"}]'],
];

const keyed = (values: typeof VALUES) => `{${values.map(([json], at) => `"k${at}":${json}`).join(" , ")}}`;

for (const { name, skip, start } of ENGINES)
  describe(`JSON of clients on ${name}`, { skip }, () => {
    let started: StartedEngine;
    before(async () => {
      started = await start();
    });
    after(() => started.stop());

    async function expectTexts(values: typeof VALUES): Promise<void> {
      const columns = values.map((_, at) => `JSONExtractString(v.properties, 'k${at}') AS k${at}`);
      const sql = `SELECT ${columns.join(", ")}, arraySort(JSONExtractKeys(v.properties)) AS names
        FROM (SELECT {json:String} AS properties) AS v`;
      const { rows } = await started.engine.select<Record<string, unknown>>(sql, { params: { json: keyed(values) } });
      const names = values.map((_, at) => `k${at}`);
      const found = values.map(([json], at) => [json, rows[0]?.[`k${at}`]]);
      assert.deepEqual(found, values);
      assert.deepEqual(rows[0]?.names, names.toSorted());
    }

    test("a number has the spelling of JavaScript, and a text its own", () => expectTexts(VALUES));

    test("a number beyond 64 bits or a double is as it was sent, and hides no other value", () =>
      expectTexts([...BEYOND, ...VALUES]));
  });
