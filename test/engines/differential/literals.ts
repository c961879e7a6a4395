/** Constants of each type, the simplest first, and the arguments that a function takes only as constants. */
import type { Type } from "./types.ts";

export const LITERALS: Readonly<Record<Type, readonly string[]>> = {
  int: ["1", "0", "2", "-1", "7", "-13", "100", "255", "70000", "2147483647"],
  // Multiples of 1/4: DuckDB computes with decimals where ClickHouse has floats.
  float: ["1.5", "0.0", "0.25", "-2.5", "2.5", "1e3", "-0.75", "123456.5"],
  real: ["1.5", "0.25"],
  text: [
    ...["'a'", "''", "'b'", "'A'", "'Äb'", "'жук'", "'日本語'", "'😀'", "' a '", "'a,b'", "'12'", "'-3.5'", "'x''y'"],
    ...[
      "'%'",
      "'a_b'",
      "'Buy'",
      "'2026-03-01'",
      "'2026-02-28 12:00:00'",
      "'https://www.a.example/p?x=1#h'",
      "'c:\\\\d'",
    ],
  ],
  bool: ["true", "false", "(1 = 1)", "(1 = 2)"],
  date: ["toDate('2026-03-01')", "toDate('2026-02-28')", "toDate('2024-02-29')", "toDate('1999-12-31')"],
  time: [
    "toDateTime('2026-03-01 00:00:00')",
    "toDateTime('2026-02-28 23:59:59')",
    "toDateTime64('2026-02-27 10:20:30.250', 3)",
    "toDateTime('2024-02-29 12:00:00')",
  ],
  ints: ["[1, 2]", "[3]", "[2, 1, 2]", "[0, -1, 70000]"],
  texts: ["['a', 'b']", "['']", "['b', 'a', 'b']", "['жук', 'a,b', '']"],
};

/** Names of placeholders in templates that are not types. */
export const CONSTANTS = {
  /** A divisor. */
  divisor: ["2", "3", "-7", "10", "1000"],
  count: ["1", "2", "3", "0", "-1", "12"],
  positive: ["1", "2", "3", "7"],
  place: ["1", "2", "3"],
  digits: ["1", "2", "0", "3"],
  character: ["','", "'a'", "' '"],
  separator: ["','", "', '", "'a'", "'//'"],
  by: ["'x'", "''", "'жж'"],
  like: ["'a%'", "'%a%'", "'%'", "'_'", "'%_a%'", "'a\\_b'", "'Buy'", "'%ж_к'", "''", "'%,%'", "'100\\%'"],
  pattern: ["'a'", "'^a'", "'[0-9]+'", "'.$'", "'(a|b)c?'", "'\\\\w+'", "'^$'", "'ж.к'", "'[A-Z]'"],
  group: ["'a(.)'", "'([0-9])([0-9])'", "'(b)?'"],
  key: ["'a'", "'b'", "'n'", "'s'", "'missing'"],
  parameter: ["'x'", "'y'", "'z'"],
  json: [`'{"a":1,"b":{"c":"d"}}'`, `'{"a":"жук","n":-7.5}'`, "'no JSON'", "''", `'{"b":true,"a":[1]}'`],
  unit: ["'day'", "'month'", "'year'", "'hour'", "'minute'", "'second'", "'week'", "'quarter'"],
  trunc: ["'day'", "'hour'", "'minute'", "'second'", "'month'", "'quarter'", "'year'"],
  part: ["year", "quarter", "month", "week", "day", "isodow", "hour", "minute", "second", "epoch"],
  interval: ["DAY", "HOUR", "MINUTE", "SECOND", "WEEK", "MONTH", "QUARTER", "YEAR"],
  bucket: ["15 MINUTE", "1 HOUR", "6 HOUR", "1 DAY", "30 SECOND"],
  format: [
    "'%Y-%m-%d'",
    "'%Y-%m-%d %H:%i:%S'",
    "'%F %T'",
    "'%y%j'",
    "'%e.%c. %k:%M'",
    "'%a %b %W'",
    "'%D %R'",
    "'100%%'",
  ],
  url: ["'https://www.a.example/p/q?x=1&y=2#z'", "'http://b.example'", "'//c.example:80/?x='", "'a'", "''"],
  wholeText: ["'12'", "'-7'", "'0'", "'007'"],
  numberText: ["'12'", "'-3.5'", "'1e3'", "'0.25'"],
  dateText: ["'2026-03-01'", "'2024-02-29'"],
  timeText: ["'2026-03-01 10:20:30'", "'2024-02-29 00:00:00'"],
  anyDateText: ["'2026-03-01'", "'x'", "''", "'2026-13-01'"],
  anyTimeText: ["'2026-03-01 10:20:30'", "'x'", "''"],
  // Days before 1970 become 1970-01-01 in ClickHouse.
  seconds: ["1774964262", "1700000000"],
  milliseconds: ["1774964262250", "1700000000001"],
  level: ["0.5", "0.25", "0.9", "0", "1"],
} as const;

export type Constant = keyof typeof CONSTANTS;
