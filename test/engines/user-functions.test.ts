/** Every function that users' statements may call, with the answer that ClickHouse documents for it, on both engines. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { FUNCTIONS } from "../../src/engines/user-sql/functions.ts";
import { askEngine, USER_ENGINES, type UserEngine } from "../support/user-engines.ts";

type Case = readonly [expression: string, answer: unknown];

/** Over the rows of `t`: n = 1, 2, 3, s = 'a', 'b', 'b', l = [1, 1, 2] each. */
const ROWS = `WITH t AS (
    SELECT 1 AS n, 'a' AS s, [1, 1, 2] AS l UNION ALL SELECT 2, 'b', [1, 1, 2] UNION ALL SELECT 3, 'b', [1, 1, 2])`;

const AGGREGATES: readonly Case[] = [
  ["sum(n)", 6],
  ["avg(n)", 2],
  ["isNull(sumOrNull(NULL)) AND avgOrNull(n) = 2", true],
  ["min(n)", 1],
  ["max(s)", "b"],
  ["any(if(n = 2, s, NULL))", "b"],
  ["any_value(1)", 1],
  ["anyLast(2)", 2],
  ["argMin(s, n)", "a"],
  ["arg_min(s, 0 - n)", "b"],
  ["argMax(s, n)", "b"],
  ["arg_max(s, 0 - n)", "a"],
  ["median(n)", 2],
  ["mode(s)", "b"],
  ["quantile_cont(n, 0.5)", 2],
  ["quantile_disc(n, 0.9)", 3],
  ["quantile(n) + quantileExact(n)", 4],
  ["quantile(0.25)(n)", 1.5],
  ["quantileIf(0.5)(n, n > 1)", 2.5],
  ["round(stddevPop(n), 3)", 0.816],
  ["round(stddev_pop(n), 3)", 0.816],
  ["stddevSamp(n)", 1],
  ["stddev_samp(n)", 1],
  ["round(varPop(n), 3)", 0.667],
  ["varSamp(n)", 1],
  ["corr(n, n)", 1],
  ["sumMerge(n)", 6],
  ["countMerge(n)", 6],
  ["uniqMerge(n)", 6],
  ["minMerge(n)", 1],
  ["maxMerge(n)", 3],
  ["anyMerge(1)", 1],
  ["argMinMerge('x')", "x"],
  ["argMaxMerge('x')", "x"],
  ["argMinIfMerge('x')", "x"],
  ["argMaxIfMerge('x')", "x"],
  ["arraySort(groupUniqArrayMerge(l))", [1, 2]],
  ["arraySort(groupUniqArrayIfMerge(l))", [1, 2]],
  ["count()", 3],
  ["COUNT(*)", 3],
  ["count(if(n = 1, 1, NULL))", 1],
  ["COUNT(DISTINCT s)", 2],
  ["uniq(s)", 2],
  ["uniqExact(s)", 2],
  ["uniqCombined(s)", 2],
  ["uniqHLL12(s)", 2],
  ["countDistinct(s)", 2],
  ["groupArray(5)", [5, 5, 5]],
  ["arraySort(groupUniqArray(s))", ["a", "b"]],
  ["countIf(n > 1)", 2],
  ["sumIf(n, n > 1)", 5],
  ["uniqIf(s, n > 1)", 1],
  ["groupArrayIf(s, n > 3)", []],
  ["argMaxIf(s, n, n < 2)", "a"],
  ["sum(n) FILTER (WHERE n > 1)", 5],
];

const WINDOWS: readonly Case[] = [
  ["row_number() OVER (ORDER BY n)", [1, 2, 3]],
  ["rank() OVER (ORDER BY s)", [1, 2, 2]],
  ["dense_rank() OVER (ORDER BY s)", [1, 2, 2]],
  ["percent_rank() OVER (ORDER BY n)", [0, 0.5, 1]],
  ["round(cume_dist() OVER (ORDER BY n), 2)", [0.33, 0.67, 1]],
  ["ntile(3) OVER (ORDER BY n)", [1, 2, 3]],
  ["lag(n, 1, 0) OVER (ORDER BY n)", [0, 1, 2]],
  ["lead(n) OVER (ORDER BY n)", [2, 3, null]],
  ["first_value(n) OVER (ORDER BY n)", [1, 1, 1]],
  ["last_value(n) OVER (ORDER BY n)", [1, 2, 3]],
  ["nth_value(n, 2) OVER (ORDER BY n)", [null, 2, 2]],
  ["sum(n) OVER (ORDER BY n ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)", [1, 3, 5]],
  ["uniq(s) OVER ()", [2, 2, 2]],
  ["countIf(n > 1) OVER ()", [2, 2, 2]],
];

const TIME = "toDateTime('2026-03-31 13:37:42')";

const SCALARS: readonly Case[] = [
  ["abs(-2) + ceil(1.2) + ceiling(1.2) + floor(1.8) + trunc(1.8)", 8],
  ["round(2.345, 2)", 2.35],
  ["sqrt(9) + exp(0) + ln(1) + log(1) + log2(8) + log10(100) + pow(2, 3) + power(2, 3) + sign(-3)", 24],
  ["greatest(1, 2) * least(3, 4)", 6],
  ["intDiv(7, 2) * 10 + modulo(7, 2) + 7 // 2 + 7 % 2", 35],
  ["2 ^ 3 + 2 ** 3 - 1 * 4 / 2", 14],
  ["nullif('a', 'a')", null],
  ["isNull(NULL) AND isNotNull(1) AND toNullable(1) = assumeNotNull(1)", true],
  ["coalesce(NULL, ifNull(NULL, 'x'))", "x"],
  ["multiIf(1 = 2, 'a', 2 = 2, 'b', 3 = 3, 'c', 'd')", "b"],
  ["if(1 = 2, 'a', 'b')", "b"],
  ["lower('ÄB') || lowerUTF8('Ж') || upper('ä') || upperUTF8('ж')", "äbжÄЖ"],
  ["length('жук') + lengthUTF8('жук') + char_length('жук') + length([1, 2])", 11],
  ["empty('') AND notEmpty('a') AND empty([]) AND notEmpty([1])", true],
  ["concat(trim(' a '), trimBoth(' a '), ltrim(' a'), trimLeft(' a'), rtrim('a '), trimRight('a '))", "aaaaaa"],
  [
    "left('abc', 1) || right('abc', 1) || substring('abc', 2, 1) || substr('abc', 2) || substringUTF8('abc', 1, 1)",
    "acbbca",
  ],
  ["position('abc', 'c') * 10 + position('b' IN 'abc') + position('abc', 'x')", 32],
  ["positionUTF8('äbc', 'b') * 10 + positionCaseInsensitive('abC', 'c')", 23],
  ["positionCaseInsensitiveUTF8('äbC', 'BC')", 2],
  ["startsWithUTF8('abc', 'a') AND endsWithUTF8('abc', 'c')", true],
  ["extract('a12b', '[0-9]+') || extract('a12b', 'a([0-9])')", "121"],
  ["extract(YEAR FROM toDate('2026-03-31'))", 2026],
  ["contains(['a', 'b'], 'b') AND 'b' IN ['a', 'b']", true],
  ["match('a1', '\\\\d') AND match('a1', '\\d')", true],
  ["CAST('5' AS Nullable(Int32)) + '6'::LowCardinality(Nullable(Int32))", 11],
  ["startsWith('abc', 'a') AND starts_with('abc', 'a') AND endsWith('abc', 'c') AND ends_with('abc', 'c')", true],
  ["reverse('abc') || split_part('a-b', '-', 2)", "cbab"],
  ["concat('a', 1, 'b')", "a1b"],
  ["replace('a-b-c', '-', '+') || replaceAll('aa', 'a', '')", "a+b+c"],
  ["splitByChar(',', 'a,b')", ["a", "b"]],
  ["splitByString('--', 'a--b')", ["a", "b"]],
  [
    "match('abc', 'b.') AND regexp_matches('abc', '^a') AND NOT regexp_full_match('abc', 'b') AND 'abc' SIMILAR TO 'a.*'",
    true,
  ],
  ["regexp_extract('a1b2', '[0-9]') || regexp_extract('a1b2', 'b([0-9])', 1)", "12"],
  ["replaceRegexpAll('a1b2', '[0-9]', '') || replaceRegexpOne('a1b2', '[0-9]', 'x')", "abaxb2"],
  ["domain('https://u@www.a.com:80/b?c') || ' ' || domainWithoutWWW('https://www.a.com/b')", "www.a.com a.com"],
  ["path('https://a.com/b/c?d#e') || extractURLParameter('https://a.com/?x=1&y=2#z', 'y')", "/b/c2"],
  [`toDate(${TIME})`, "2026-03-31"],
  [`date(${TIME})`, "2026-03-31"],
  [`toDateTime64(${TIME}, 3)`, "2026-03-31 13:37:42"],
  ["parseDateTimeBestEffort('2026-03-31 01:02:03')", "2026-03-31 01:02:03"],
  ["isNull(toDateOrNull('x')) AND isNull(toDateTimeOrNull('x'))", true],
  ["toDate(now()) = today() AND now64() >= now() - INTERVAL 1 MINUTE AND yesterday() = today() - 1", true],
  [
    `concat(toYear(${TIME}), year(${TIME}), toQuarter(${TIME}), quarter(${TIME}), toMonth(${TIME}), month(${TIME}))`,
    "202620261133",
  ],
  [
    `concat(toISOWeek(${TIME}), week(${TIME}), toDayOfMonth(${TIME}), day(${TIME}), toDayOfWeek(${TIME}), toDayOfYear(${TIME}))`,
    "14143131290",
  ],
  [
    `concat(toHour(${TIME}), hour(${TIME}), toMinute(${TIME}), minute(${TIME}), toSecond(${TIME}), second(${TIME}))`,
    "131337374242",
  ],
  [`toYYYYMM(${TIME})`, 202603],
  [`toYYYYMMDD(${TIME})`, 20260331],
  [`toUnixTimestamp(${TIME})`, 1774964262],
  ["fromUnixTimestamp(1774964262)", "2026-03-31 13:37:42"],
  ["fromUnixTimestamp64Milli(1774964262250)", "2026-03-31 13:37:42.250"],
  ["toUnixTimestamp64Milli(toDateTime64('2026-03-31 13:37:42.250', 3, 'UTC'))", 1774964262250],
  ["toDateTime(1774964262, 'UTC')", "2026-03-31 13:37:42"],
  ["parseDateTime64BestEffort('2026-03-31 13:37:42.5', 3, 'UTC')", "2026-03-31 13:37:42.500"],
  ["toTimeZone(toDateTime('2026-03-31 13:37:42'), 'UTC')", "2026-03-31 13:37:42"],
  ["age('month', toDate('2026-01-31'), toDate('2026-03-30'))", 1],
  ["toStartOfInterval(toDateTime('2026-03-31 13:37:42'), INTERVAL 500 MILLISECOND)", "2026-03-31 13:37:42"],
  [`toStartOfMinute(${TIME})`, "2026-03-31 13:37:00"],
  [`toStartOfFiveMinutes(${TIME})`, "2026-03-31 13:35:00"],
  [`toStartOfTenMinutes(${TIME})`, "2026-03-31 13:30:00"],
  [`toStartOfFifteenMinutes(${TIME})`, "2026-03-31 13:30:00"],
  [`toStartOfHour(${TIME})`, "2026-03-31 13:00:00"],
  [`toStartOfDay(${TIME})`, "2026-03-31 00:00:00"],
  [`toStartOfWeek(${TIME})`, "2026-03-29"],
  [`toStartOfWeek(${TIME}, 1)`, "2026-03-30"],
  [`toMonday(${TIME})`, "2026-03-30"],
  [`toStartOfMonth(${TIME})`, "2026-03-01"],
  [`toStartOfQuarter(${TIME})`, "2026-01-01"],
  [`toStartOfYear(${TIME})`, "2026-01-01"],
  [`toStartOfInterval(${TIME}, INTERVAL 6 HOUR)`, "2026-03-31 12:00:00"],
  [`date_trunc('month', ${TIME}) = dateTrunc('month', ${TIME})`, true],
  [`date_part('year', ${TIME}) + EXTRACT(month FROM ${TIME})`, 2029],
  [`dateDiff('day', toDate('2026-03-01'), ${TIME}) + date_diff('hour', toDate('2026-03-31'), ${TIME})`, 43],
  [`addSeconds(${TIME}, 1) = addMinutes(${TIME}, 1) - INTERVAL 59 SECOND`, true],
  [`addHours(${TIME}, 24) = addDays(${TIME}, 1) AND addWeeks(${TIME}, 1) = addDays(${TIME}, 7)`, true],
  [
    `toDate(addMonths(${TIME}, 11)) = toDate('2027-02-28') AND toDate(addYears(${TIME}, 1)) = toDate('2027-03-31')`,
    true,
  ],
  [`subtractHours(${TIME}, 24) = subtractDays(${TIME}, 1) AND subtractWeeks(${TIME}, 1) < ${TIME}`, true],
  [
    `toDate(subtractMonths(${TIME}, 1)) = toDate('2026-02-28') AND toDate(subtractYears(${TIME}, 1)) = toDate('2025-03-31')`,
    true,
  ],
  [
    `${TIME} - INTERVAL 1 YEAR - INTERVAL 1 QUARTER - INTERVAL 1 MONTH - INTERVAL 1 WEEK < ${TIME} - INTERVAL 1 DAY`,
    true,
  ],
  [`${TIME} - INTERVAL 1 HOUR - INTERVAL 1 MINUTE - interval 1 second`, "2026-03-31 12:36:41"],
  [`${TIME} - toIntervalMinute(1) = ${TIME} - toIntervalSecond(60)`, true],
  [`toDateTime(intDiv(toUnixTimestamp(${TIME}), 3600) * 3600)`, "2026-03-31 13:00:00"],
  ["toDateTime64(1774964262.123, 3)", "2026-03-31 13:37:42.123"],
  [`toUInt32(${TIME}) - toInt64(toDateTime(1774964262))`, 0],
  [`${TIME} - toIntervalDay(1) - toIntervalWeek(1) - toIntervalMonth(1) - toIntervalHour(1) < ${TIME}`, true],
  [
    "toInt8('1') + toInt16(2.7) + toInt32(-3.7) + toInt64('4') + toUInt8(5) + toUInt16(6) + toUInt32(7) + toUInt64(8)",
    30,
  ],
  ["toInt32OrZero('x') + toInt64OrZero('5') + toUInt32OrZero('x') + toUInt64OrZero('7')", 12],
  ["isNull(toInt64OrNull('x')) AND isNull(toFloat64OrNull('x'))", true],
  ["toFloat32('1.5') + toFloat64('2.5') + toFloat32OrZero('x') + toFloat64OrZero('0.5')", 4.5],
  ["toString(5) || CAST(6 AS String) || 7::String", "567"],
  ["CAST('5' AS Int64) + CAST('1.5' AS Float64) + CAST('1' AS UInt64)", 7.5],
  [`JSONExtractString('{"a/b":{"c":"d"}}', 'a/b', 'c')`, "d"],
  [
    `JSONExtractString('{"a":1}', 'b') || simpleJSONExtractString('{"a":"x"}', 'a') || visitParamExtractString('{"a":"y"}', 'a')`,
    "xy",
  ],
  [`JSONExtractString('{"a":{"b":{"c":"d"}}}', 'a', 'b', 'c')`, "d"],
  [`JSONExtractRaw('{"a":{"b":1}}', 'a')`, '{"b":1}'],
  [
    `JSONExtractInt('{"a":5}', 'a') + JSONExtractUInt('{"a":5}', 'a') + JSONExtractFloat('{"a":"1.5"}', 'a') + JSONExtractInt('{}', 'a')`,
    11.5,
  ],
  [`simpleJSONExtractFloat('{"a":1.5}', 'a') + simpleJSONExtractInt('{"a":2}', 'a')`, 3.5],
  [
    `JSONExtractBool('{"a":true}', 'a') AND NOT JSONExtractBool('{}', 'a') AND JSONHas('{"a":null}', 'a') AND NOT JSONHas('{}', 'a')`,
    true,
  ],
  [`JSONExtractString('not JSON', 'a') || JSONExtractString('{"a":"\\ud800"}', 'a')`, ""],
  ["has([1, 2], 2) AND indexOf([1, 2], 2) = 2 AND indexOf([1], 5) = 0 AND arrayElement([7, 8], 2) = 8", true],
  ["arraySort(arrayDistinct([2, 1, 2]))", [1, 2]],
  ["arrayUniq([2, 1, 2])", 2],
  ["arrayReverseSort([1, 3, 2])", [3, 2, 1]],
  ["array(1, 2)[2] + [3][1]", 5],
  ["tuple(1, 2) IN ((1, 2)) AND (1, 2) = row(1, 2)", true],
  ["rand() < 1", true],
  [
    `formatDateTime(${TIME}, '%Y-%m-%d %H:%i:%S %F %T %y %e %M %a %b %j %R %D')`,
    "2026-03-31 13:37:42 2026-03-31 13:37:42 26 31 March Tue Mar 090 13:37 03/31/26",
  ],
  [
    "'a_b' LIKE 'a\\_b' AND NOT 'axb' LIKE 'a\\_b' AND 'axb' LIKE 'a_b' AND 'ABC' ILIKE '%b%' AND 'abc' NOT LIKE 'b%'",
    true,
  ],
  [
    "'a.c' LIKE 'a.%' AND NOT 'abc' LIKE 'a.%' AND 'a\nb' LIKE 'a%b' AND '' LIKE '%' AND 'abc' LIKE 'abc' AND NOT 'abcd' LIKE 'abc'",
    true,
  ],
];

/** Cases of one statement. The check limits patterns and long texts of a statement, and a refused one is split. */
const AT_ONCE = 8;

type Answer = readonly unknown[] | Error;

/** The values of each case's column. Those of eight cases are read by one statement: one takes ClickHouse 0.1 s. */
async function readAnswers(
  ask: (sql: string) => Promise<readonly Record<string, unknown>[]>,
  cases: readonly Case[],
  around: (columns: string) => string,
): Promise<ReadonlyMap<string, Answer>> {
  const answers = new Map<string, Answer>();
  const read = async (some: readonly Case[]): Promise<void> => {
    try {
      const rows = await ask(around(some.map(([expression], at) => `${expression} AS x${at}`).join(", ")));
      for (const [at, [expression]] of some.entries())
        answers.set(
          expression,
          rows.map((row) => row[`x${at}`]),
        );
    } catch (cause) {
      if (some.length > 1) for (const each of some) await read([each]);
      else answers.set(some[0]?.[0] ?? "", cause as Error);
    }
  };
  for (let at = 0; at < cases.length; at += AT_ONCE) await read(cases.slice(at, at + AT_ONCE));
  return answers;
}

for (const { name, skip, start } of USER_ENGINES)
  describe(`the functions of users' statements on ${name}`, { skip }, () => {
    let started: UserEngine;
    before(async () => {
      started = await start();
    });
    after(() => started.stop());

    const ask = async (sql: string) => (await askEngine(started, sql)).data;

    const suite = (kind: string, cases: readonly Case[], around: (columns: string) => string, isMany = false) =>
      describe(kind, () => {
        let answers: ReadonlyMap<string, Answer>;
        before(async () => {
          answers = await readAnswers(ask, cases, around);
        });
        for (const [expression, answer] of cases)
          test(expression, () => {
            const found = answers.get(expression);
            if (found instanceof Error) throw found;
            assert.deepEqual(found, isMany ? answer : [answer]);
          });
      });

    suite("aggregates", AGGREGATES, (columns) => `${ROWS} SELECT ${columns} FROM t`);
    suite("windows", WINDOWS, (columns) => `${ROWS} SELECT ${columns} FROM t ORDER BY n`, true);
    suite("scalars", SCALARS, (columns) => `SELECT ${columns}`);

    test("arrayJoin and unnest make a row for each item", async () => {
      assert.deepEqual(await ask("SELECT arrayJoin([1, 2]) AS x, unnest(['a', 'b']) AS y"), [
        { x: 1, y: "a" },
        { x: 2, y: "b" },
      ]);
    });

    test("columns without an alias are named as they were written", async () => {
      const [row = {}] = await ask(
        `${ROWS} SELECT count(*), toDate('2026-01-01'), sum(n) + 1, n IN (SELECT 1), round(1.5, 2), EXISTS (SELECT 1),
        n > 1 AND n NOT IN (1, 2), [1, 2][1], 'a' LIKE 'b', n BETWEEN 1 AND 2 FROM t GROUP BY n LIMIT 1`,
      );
      assert.deepEqual(Object.keys(row), [
        ...["count()", "toDate('2026-01-01')", "sum(n) + 1", "n IN (...)", "round(1.5, 2)", "EXISTS (...)"],
        ...["n > 1 AND n NOT IN (1, 2)", "[1, 2][1]", "'a' LIKE 'b'", "..."],
      ]);
    });
  });

describe("the cases of functions", () => {
  test("every function has a case", () => {
    const used = [...AGGREGATES, ...WINDOWS, ...SCALARS].map(([expression]) => expression.toLowerCase()).join(" ");
    // The parser makes these of INTERVAL, brackets and dates.
    const syntax = [
      "to_years",
      "to_quarters",
      "to_months",
      "to_weeks",
      "to_days",
      "to_hours",
      "to_minutes",
      "to_seconds",
      "to_milliseconds",
      "list_value",
      "row",
      "tuple",
      "arrayjoin",
      "unnest",
    ];
    const without = FUNCTIONS.map(({ name }) => name.toLowerCase()).filter(
      (name) => /^\w/.test(name) && !syntax.includes(name) && !used.includes(`${name}(`),
    );
    assert.deepEqual(without, []);
  });
});
