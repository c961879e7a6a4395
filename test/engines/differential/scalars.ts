/**
 * Expressions of each type as templates. `{int}` is any expression of that type; the other names are constants of
 * `literals.ts`. `{T}` is the type of the expression itself, `{any}` one type for the whole template.
 */
import type { Type } from "./types.ts";

const forEach = (names: readonly string[], template: string) => names.map((name) => template.replace("@", name));

/** For every type whose values may be NULL. */
const CHOICES = [
  "CASE WHEN {bool} THEN {T} ELSE {T} END",
  "CASE WHEN {bool} THEN {T} END",
  "CASE {text} WHEN {text} THEN {T} WHEN {text} THEN {T} ELSE {T} END",
  "if({bool}, {T}, {T})",
  "multiIf({bool}, {T}, {bool}, {T}, {T})",
  "coalesce({T}, {T})",
  "ifNull({T}, {T})",
  "toNullable({T})",
  "assumeNotNull(coalesce({T}, {T}, {literal}))",
];
const ORDERED = ["greatest({T}, {T})", "least({T}, {T})", "nullif({T}, {T})"];

const ARRAYS = [
  "arraySort({T})",
  "arrayReverseSort({T})",
  "arraySort(arrayDistinct({T}))",
  "CASE WHEN {bool} THEN {T} ELSE {T} END",
];

export const SCALARS: Readonly<Record<Type, readonly string[]>> = {
  int: [
    ...["({int} + {int})", "({int} - {int})", "({int} * {divisor})", "(-({int}))", "abs({int})", "sign({int})"],
    ...["sign({float})", "intDiv({int}, {divisor})", "({int} // {divisor})", "modulo({int}, {divisor})"],
    ...["({int} % {divisor})", "length({ints})", "length({texts})", "lengthUTF8({text})", "char_length({text})"],
    ...forEach(
      ["position", "positionUTF8", "positionCaseInsensitive", "positionCaseInsensitiveUTF8"],
      "@({text}, {text})",
    ),
    "position({text} IN {text})",
    ...forEach(
      [
        ...["toYear", "year", "toQuarter", "quarter", "toMonth", "month", "toISOWeek", "week", "toDayOfMonth", "day"],
        ...["toDayOfWeek", "toDayOfYear", "toYYYYMM", "toYYYYMMDD"],
      ],
      "@({date})",
    ),
    ...forEach(
      [
        ...["toYear", "toMonth", "toISOWeek", "toDayOfMonth", "toHour", "hour", "toMinute", "minute", "toSecond"],
        ...["second", "toYYYYMM", "toYYYYMMDD", "toUnixTimestamp", "toUnixTimestamp64Milli"],
      ],
      "@({time})",
    ),
    ...forEach(["dateDiff", "date_diff", "age"], "@({unit}, {time}, {time})"),
    ...["dateDiff('day', {date}, {date})", "({date} - {date})"],
    ...["EXTRACT({part} FROM {time})", "date_part('month', {date})", "date_part('hour', {time})"],
    ...forEach(["toInt8", "toInt16", "toInt32", "toInt64", "toUInt8", "toUInt64"], "@({digits})"),
    ...["toInt32({float})", "toInt64({int})", "toUInt16({positive})", "toUInt32({time})", "toInt64({wholeText})"],
    ...forEach(
      ["toInt32OrZero", "toInt64OrZero", "toUInt32OrZero", "toUInt64OrZero", "toInt64OrNull"],
      "@({wholeText})",
    ),
    ...["toInt64OrZero({text})", "toInt64OrNull({text})", "CAST({int} AS Int64)", "CAST({bool} AS Int32)"],
    ...forEach(["JSONExtractInt", "JSONExtractUInt", "simpleJSONExtractInt"], `@('{"a":5,"b":"x","n":7}', {key})`),
    ...["JSONExtractInt({json}, {key})", "indexOf({ints}, {int})", "indexOf({texts}, {text})"],
    ...["arrayUniq({ints})", "arrayUniq({texts})", "arrayElement([5, 6, 7], {place})", "[5, 6, 7][{place}]"],
    ...["ceil({int})", "floor({int})", "CAST({wholeText} AS Int32)", "{wholeText}::Int64"],
    ...CHOICES,
    ...ORDERED,
  ],
  float: [
    ...["({float} + {float})", "({float} - {float})", "({float} * {divisor})", "({float} / {divisor})"],
    ...[
      "({int} / {divisor})",
      "({int} + {float})",
      "abs({float})",
      "(-({float}))",
      "ceil({float})",
      "ceiling({float})",
    ],
    ...["floor({float})", "trunc({float})", "round({int}, {digits})", "toFloat64({int})", "toFloat32({digits})"],
    ...["toFloat64({numberText})", "CAST({int} AS Float64)", "CAST({numberText} AS Float64)"],
    ...forEach(["toFloat32OrZero", "toFloat64OrZero", "toFloat64OrNull"], "@({numberText})"),
    ...["toFloat64OrZero({text})", "toFloat64OrNull({text})", "modulo({float}, {divisor})"],
    ...["JSONExtractFloat({json}, {key})", `simpleJSONExtractFloat('{"a":2.5}', {key})`],
    ...CHOICES,
    ...ORDERED,
  ],
  real: [
    ...["({real} + {real})", "({real} * {divisor})", "abs({real})", "sqrt(abs({float}))", "exp({digits})"],
    ...forEach(["ln", "log", "log2", "log10"], "@(abs({float}) + 1)"),
    ...["pow(abs({float}) + 1, 0.5)", "power({digits}, {digits})", "({digits} ^ {digits})", "({digits} ** 2)"],
    "CASE WHEN {bool} THEN {real} ELSE {real} END",
  ],
  text: [
    ...forEach(
      [
        ...["lower", "lowerUTF8", "upper", "upperUTF8", "trim", "trimBoth", "ltrim", "trimLeft", "rtrim", "trimRight"],
        ...["reverse", "domain", "domainWithoutWWW", "path", "toString"],
      ],
      "@({text})",
    ),
    ...["concat({text}, {text})", "concat({text}, '-', {int})", "({text} || {text})", "left({text}, {positive})"],
    ...["right({text}, {positive})", "substring({text}, {place}, {positive})", "substr({text}, {place})"],
    ...["substringUTF8({text}, {place}, {positive})", "split_part({text}, {separator}, {place})"],
    ...forEach(["domain", "domainWithoutWWW", "path"], "@({url})"),
    ...["extractURLParameter({url}, {parameter})", "toString({int})", "toString({date})", "CAST({int} AS String)"],
    ...["replace({text}, {text}, {by})", "replaceAll({text}, {character}, {by})"],
    ...["replaceRegexpAll({text}, {pattern}, {by})", "replaceRegexpOne({text}, {pattern}, {by})"],
    ...["extract({text}, {pattern})", "extract({text}, {group})", "regexp_extract({text}, {group}, 1)"],
    ...["regexp_extract({text}, {pattern})", "formatDateTime({time}, {format})", "formatDateTime({date}, '%Y/%m/%d')"],
    ...["JSONExtractString({json}, {key})", "JSONExtractString({json}, 'b', 'c')", "JSONExtractRaw({json}, {key})"],
    ...forEach(["simpleJSONExtractString", "visitParamExtractString"], `@('{"a":"x y","b":"z"}', {key})`),
    "arrayElement(['x', 'y', 'z'], {place})",
    ...CHOICES,
    ...ORDERED,
  ],
  bool: [
    ...forEach(["=", "!=", "<", ">=", "<>"], "({any} @ {any})"),
    ...["({any} IS DISTINCT FROM {any})", "({any} IS NOT DISTINCT FROM {any})", "({any} IS NULL)"],
    ...["({any} IS NOT NULL)", "isNull({any})", "isNotNull({any})", "({any} BETWEEN {any} AND {any})"],
    ...["({any} NOT BETWEEN {any} AND {any})", "({any} IN ({any}, {any}))", "({any} NOT IN ({any}, {any}))"],
    ...["({text} IN ('a', 'Buy', ''))", "({int} NOT IN (1, 2))", "(({int}, {text}) IN ((1, 'a'), (2, 'b')))"],
    ...[
      "({bool} AND {bool})",
      "({bool} OR {bool})",
      "(NOT {bool})",
      "({text} LIKE {like})",
      "({text} NOT LIKE {like})",
    ],
    ...["({text} ILIKE {like})", "match({text}, {pattern})", "regexp_matches({text}, {pattern})"],
    ...["regexp_full_match({text}, {pattern})", "({text} SIMILAR TO {pattern})"],
    ...forEach(
      ["startsWith", "starts_with", "startsWithUTF8", "endsWith", "ends_with", "endsWithUTF8"],
      "@({text}, {text})",
    ),
    ...["has({texts}, {text})", "has({ints}, {int})", "contains({texts}, {text})", "({text} IN {texts})"],
    ...["empty({text})", "notEmpty({text})", "empty({texts})", "notEmpty({ints})", "({texts} = {texts})"],
    ...["JSONHas({json}, {key})", "JSONExtractBool({json}, {key})", "(tuple({int}, {text}) = row({int}, {text}))"],
    ...CHOICES,
  ],
  date: [
    ...forEach(
      ["toDate", "date", "toMonday", "toStartOfMonth", "toStartOfQuarter", "toStartOfYear", "toStartOfWeek"],
      "@({time})",
    ),
    ...forEach(["toMonday", "toStartOfMonth", "toStartOfWeek", "toStartOfYear"], "@({date})"),
    ...[
      "toStartOfWeek({time}, 1)",
      "toDate({dateText})",
      "toDateOrNull({anyDateText})",
      "toDateOrNull({text})",
      "CAST({time} AS Date)",
    ],
    ...["({date} + {count})", "({date} - {positive})", "CAST({dateText} AS Date)"],
    ...CHOICES,
    ...ORDERED,
  ],
  time: [
    ...forEach(
      [
        ...["toStartOfMinute", "toStartOfFiveMinutes", "toStartOfTenMinutes", "toStartOfFifteenMinutes"],
        ...["toStartOfHour", "toStartOfDay", "toDateTime", "toTimeZone"],
      ],
      "@({time})",
    ).map((template) => template.replace("toTimeZone({time})", "toTimeZone({time}, 'UTC')")),
    ...[
      "toStartOfDay({date})",
      "toDateTime({date})",
      "toDateTime64({time}, 3)",
      "toDateTime({timeText})",
      "toDateTimeOrNull({anyTimeText})",
      "toDateTimeOrNull({text})",
    ],
    ...forEach(["parseDateTimeBestEffort", "parseDateTime64BestEffort"], "@({timeText})"),
    ...["toDateTime({seconds})", "fromUnixTimestamp({seconds})", "fromUnixTimestamp64Milli({milliseconds})"],
    ...["toStartOfInterval({time}, INTERVAL {bucket})", "date_trunc({trunc}, {time})", "dateTrunc({trunc}, {time})"],
    ...forEach(
      [
        ...["addSeconds", "addMinutes", "addHours", "addDays", "addWeeks", "addMonths", "addYears", "subtractHours"],
        ...["subtractDays", "subtractWeeks", "subtractMonths", "subtractYears"],
      ],
      "@({time}, {count})",
    ),
    ...["addDays({date}, {count})", "addMonths({date}, {count})", "subtractDays({date}, {count})"],
    ...["({time} + INTERVAL {positive} {interval})", "({time} - INTERVAL {positive} {interval})"],
    ...["({date} + INTERVAL {positive} {interval})", "({date} - INTERVAL {positive} {interval})"],
    ...forEach(
      ["Day", "Week", "Month", "Hour", "Minute", "Second"].map((unit) => `toInterval${unit}`),
      "({time} + @({count}))",
    ),
    ...forEach(
      ["years", "quarters", "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds"],
      "({time} - to_@({positive}))",
    ),
    ...CHOICES,
    ...ORDERED,
  ],
  ints: [...["array({int}, {int})", "[{int}]", "list_value({int}, {int})"], ...ARRAYS],
  texts: [
    ...[
      "splitByChar({character}, coalesce({text}, ''))",
      "splitByString({separator}, coalesce({text}, ''))",
      "array({text}, {text})",
    ],
    ...["[{text}]", ...ARRAYS],
  ],
};
