import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ApiError } from "../../contract/errors.ts";
import { inSomeRound } from "../../lib/testing.ts";
import { bindDates, hasBothDates, hasBothTimes } from "./bind-dates.ts";

const DAYS = { date_from: "2026-03-01", date_to: "2026-03-31" };

const BOUND: readonly [string, string][] = [
  ["SELECT {{date_from}}", "SELECT toDate('2026-03-01')"],
  ["SELECT '{{date_from}}'", "SELECT '2026-03-01'"],
  ["SELECT {{ date_to }}, '{{ date_to }}'", "SELECT toDate('2026-03-31'), '2026-03-31'"],
  ["SELECT toDate('{{date_from}}')", "SELECT toDate('2026-03-01')"],
  ["SELECT 'a', \"b\", 1 -- c", "SELECT 'a', \"b\", 1 -- c"],
  ["SELECT concat('{{date_from}}', ' 00:00:00')", "SELECT concat('2026-03-01', ' 00:00:00')"],
  ["SELECT '{', '}', '{x}'", "SELECT '{', '}', '{x}'"],
  // An open quote is refused by the engine's own check.
  ["SELECT '{{date_from}}", "SELECT '{{date_from}}"],
];

const REFUSED: readonly [string, RegExp][] = [
  ["SELECT '{{date_from}} 00:00:00'", /stands alone/],
  ["SELECT 'a{{date_from}}'", /stands alone/],
  ["SELECT '{{date_from}}{{date_to}}'", /stands alone/],
  ["SELECT '''{{date_from}}'", /stands alone/],
  ['SELECT "{{date_from}}" FROM events', /stands alone/],
  ["SELECT `{{date_from}}` FROM events", /stands alone/],
  ["SELECT 1 WHERE {{filters}}", /There is no placeholder \{\{filters\}\}/],
  ["SELECT {{ pyth.token_price('ETH/USD') }}", /There is no placeholder/],
  ["SELECT '{{filters}}'", /There is no placeholder/],
  ["SELECT {{date_from", /There is no placeholder/],
  ["SELECT {{DATE_FROM}}", /There is no placeholder/],
  ["SELECT {{date_from) FROM events WHERE (1}}", /There is no placeholder/],
];

describe("the days of a chart's SQL", () => {
  for (const [given, bound] of BOUND) test(`${given} is ${bound}`, () => assert.equal(bindDates(given, DAYS), bound));

  for (const [given, message] of REFUSED)
    test(`${given} is refused`, () =>
      assert.throws(
        () => bindDates(given, DAYS),
        (cause) => cause instanceof ApiError && cause.code === "BAD_REQUEST" && message.test(cause.message),
      ));

  test("are days and nothing else", () => {
    for (const date_from of ["2026-03-01' OR 1=1 --", "", "2026-3-1", "2026-03-01\n"])
      assert.throws(() => bindDates("SELECT 1", { ...DAYS, date_from }), /is no day/);
  });

  test("must both be asked for, in either spelling", () => {
    assert.equal(hasBothDates("SELECT {{date_from}}, '{{ date_to }}'"), true);
    assert.equal(hasBothDates("SELECT {{date_from}}"), false);
    assert.equal(hasBothDates("SELECT 'date_from', 'date_to'"), false);
  });

  test("of thousands of placeholders are bound in time", () =>
    inSomeRound(3, () => {
      const startedAt = performance.now();
      bindDates(`SELECT ${"{{date_from}},".repeat(2_000)} 1`, DAYS);
      assert.throws(() => bindDates("{{".repeat(16_000), DAYS), ApiError);
      assert.ok(performance.now() - startedAt < 1_000);
    }));
});

describe("the times of a window", () => {
  const TIMES = { time_from: "2026-03-01 10:00:00", time_to: "2026-03-01 11:00:00" };
  const SQL = "SELECT count() FROM events WHERE timestamp >= {{time_from}} AND timestamp < '{{time_to}}'";

  test("are bound as times and as texts", () => {
    assert.equal(
      bindDates(SQL, { ...DAYS, ...TIMES }),
      "SELECT count() FROM events WHERE timestamp >= toDateTime('2026-03-01 10:00:00') AND timestamp < '2026-03-01 11:00:00'",
    );
    assert.deepEqual(
      [hasBothTimes(SQL), hasBothDates(SQL), hasBothTimes("SELECT {{time_from}}")],
      [true, false, false],
    );
  });

  test("are no placeholders where there is no such window", () => {
    assert.throws(() => bindDates(SQL, DAYS), /There is no placeholder \{\{time_from\}\}/);
  });
});
