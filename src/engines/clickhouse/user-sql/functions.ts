/**
 * The functions of a checked tree, which have DuckDB's names, in ClickHouse. In a form `$1` is the first argument, and
 * `$where` the FILTER, which is otherwise at its end. A function that is missing here is refused.
 */
import { refuse } from "../../user-sql/check/tree.ts";

const TIME_PARTS = {
  year: "toYear",
  quarter: "toQuarter",
  month: "toMonth",
  week: "toISOWeek",
  day: "toDayOfMonth",
  isodow: "toDayOfWeek",
  hour: "toHour",
  minute: "toMinute",
  second: "toSecond",
} as const;

/** Name in the tree -> name in ClickHouse, with the same arguments. Aggregates over no rows are NULL, as on DuckDB. */
const RENAMED: Readonly<Record<string, string>> = {
  sum: "sumOrNull",
  avg: "avgOrNull",
  min: "minOrNull",
  max: "maxOrNull",
  any_value: "anyOrNull",
  user_sum_or_null: "sumOrNull",
  user_avg_or_null: "avgOrNull",
  arg_min: "argMinOrNull",
  arg_max: "argMaxOrNull",
  stddev_pop: "stddevPopOrNull",
  stddev_samp: "stddevSampOrNull",
  var_pop: "varPopOrNull",
  var_samp: "varSampOrNull",
  corr: "corrOrNull",
  list: "groupArray",
  ln: "log",
  "//": "intDivOrNull",
  "^": "pow",
  nullif: "nullIf",
  user_is_null: "isNull",
  user_is_not_null: "isNotNull",
  user_empty: "empty",
  user_not_empty: "notEmpty",
  ltrim: "trimLeft",
  rtrim: "trimRight",
  trim: "trimBoth",
  lower: "lowerUTF8",
  upper: "upperUTF8",
  left: "leftUTF8",
  right: "rightUTF8",
  substring: "substringUTF8",
  reverse: "reverseUTF8",
  user_position: "positionUTF8",
  user_position_any_case: "positionCaseInsensitiveUTF8",
  starts_with: "startsWith",
  suffix: "endsWith",
  replace: "replaceAll",
  regexp_matches: "match",
  user_url_parameter: "extractURLParameter",
  user_to_date: "toDate",
  user_today: "today",
  user_yesterday: "yesterday",
  ...TIME_PARTS,
  dayofyear: "toDayOfYear",
  user_year_month: "toYYYYMM",
  user_year_month_day: "toYYYYMMDD",
  user_unix: "toUnixTimestamp",
  user_start_minute: "toStartOfMinute",
  user_start_five_minutes: "toStartOfFiveMinutes",
  user_start_ten_minutes: "toStartOfTenMinutes",
  user_start_fifteen_minutes: "toStartOfFifteenMinutes",
  user_start_hour: "toStartOfHour",
  user_start_day: "toStartOfDay",
  user_start_week: "toStartOfWeek",
  user_monday: "toMonday",
  user_start_month: "toStartOfMonth",
  user_start_quarter: "toStartOfQuarter",
  user_start_year: "toStartOfYear",
  date_diff: "dateDiff",
  date_sub: "age",
  to_years: "toIntervalYear",
  to_quarters: "toIntervalQuarter",
  to_months: "toIntervalMonth",
  to_weeks: "toIntervalWeek",
  to_days: "toIntervalDay",
  to_hours: "toIntervalHour",
  to_minutes: "toIntervalMinute",
  to_seconds: "toIntervalSecond",
  to_milliseconds: "toIntervalMillisecond",
  user_to_int: "toInt64",
  user_to_uint: "toUInt64",
  user_to_int_or_null: "toInt64OrNull",
  user_to_float: "toFloat64",
  user_to_float_or_null: "toFloat64OrNull",
  user_json_string: "JSONExtractString",
  user_json_raw: "JSONExtractRaw",
  user_json_int: "JSONExtractInt",
  user_json_float: "JSONExtractFloat",
  user_json_has: "JSONHas",
  user_index_of: "indexOf",
  list_extract: "arrayElementOrNull",
  list_distinct: "arrayDistinct",
  list_sort: "arraySort",
  list_reverse_sort: "arrayReverseSort",
  unnest: "arrayJoin",
  list_value: "array",
  row: "tuple",
  struct_pack: "tuple",
};

/** Names that both engines have. */
const SAME = [
  ...["count", "row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead"],
  ...["first_value", "last_value", "nth_value", "abs", "ceil", "floor"],
  ...["trunc", "sqrt", "exp", "log2", "log10", "pow", "sign", "greatest", "least", "concat"],
];

/** A day and an interval are a time in DuckDB; in ClickHouse a day, if the interval has whole days. */
export function asTime(sql: string): string {
  return `toDateTime64(${sql}, 3, 'UTC')`;
}

const MOVES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...["addSeconds", "addMinutes", "addHours", "addDays", "addWeeks", "addMonths", "addYears"],
    ...["subtractHours", "subtractDays", "subtractWeeks", "subtractMonths", "subtractYears"],
  ].map((name) => [
    `user_${name.replace(/[A-Z]/, (first) => `_${first.toLowerCase()}`)}`,
    `${name}(${asTime("$1")}, $2)`,
  ]),
);

/** A text without a whole date is NULL: ClickHouse takes 12 for a day of January. */
const TIME_OR_NULL = "parseDateTime64BestEffortOrNull(extract($1, '^\\\\s*\\\\d+[-/]\\\\d+[-/]\\\\d.*'), 3, 'UTC')";

/** NULL where `argument` is. A lambda names it, so that it is written once: calls that repeat it would double at each level. */
function unlessNull(form: string, argument: string): string {
  const [item, whole] = ["`our item`", "assumeNotNull(`our item`)"];
  return `arrayElement(arrayMap(${item} -> if(isNull(${item}), NULL, ${form.replace("ITEM", whole)}), [${argument}]), 1)`;
}

/** Written in another form. */
const FORMS: Readonly<Record<string, string>> = {
  ...MOVES,
  user_start_interval: asTime("toStartOfInterval($1, $2)"),
  count_star: "count()",
  mode: "arrayElementOrNull(topK(1, 1000)($1)$where, 1)",
  // `median` and `quantile` of ClickHouse are samples.
  median: "quantileExactInclusiveOrNull(0.5)($1)",
  quantile_cont: "quantileExactInclusiveOrNull($2)($1)",
  quantile_disc: "quantileExactOrNull($2)($1)",
  user_merge_arrays: "arraySlice(groupUniqArrayArray($1), 1, 1000)",
  // ClickHouse gives a day for weeks and above, and a time below.
  date_trunc: "toDateTime64(dateTrunc($1, toDateTime64($2, 3, 'UTC')), 3, 'UTC')",
  contains: "(positionUTF8($1, $2) > 0)",
  // A number in brackets would be the position of a column in GROUP BY and ORDER BY.
  user_same: "identity($1)",
  split_part: unlessNull("arrayElement(splitByString($2, ITEM), $3)", "$1"),
  string_split: "splitByString($2, $1)",
  regexp_full_match: "match($1, concat('^(?s:', $2, ')$'))",
  regexp_extract: "regexpExtract($1, $2, $3)",
  user_to_time: "toDateTime64($1, 3, 'UTC')",
  // Of NULL, too.
  user_to_int_or_zero: "ifNull(toInt64OrZero($1), 0)",
  user_to_float_or_zero: "ifNull(toFloat64OrZero($1), 0)",
  // ClickHouse's own also take texts without //, such as -3.5.
  user_domain: "extract($1, '^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//(?:[^/?#@]*@)?([^/?#:]*)')",
  user_domain_bare: "extract($1, '^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//(?:[^/?#@]*@)?(?:www[.])?([^/?#:]*)')",
  user_path: "extract($1, '^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//[^/?#]*(/[^?#]*)')",
  user_to_time_or_null: TIME_OR_NULL,
  // ClickHouse's own takes 2026-13-01 for 1970-01-01.
  user_to_date_or_null: `toDate(${TIME_OR_NULL})`,
  // ClickHouse's own takes every number but 0 for true.
  user_json_bool: "(JSONExtractString($1, $2) = 'true')",
  list_contains: unlessNull("has($1, ITEM)", "$2"),
  user_to_int8: "toInt64(toInt8($1))",
  user_to_int16: "toInt64(toInt16($1))",
  user_to_int32: "toInt64(toInt32($1))",
  user_to_uint8: "toInt64(toUInt8($1))",
  user_to_uint16: "toInt64(toUInt16($1))",
  user_to_uint32: "toInt64(toUInt32($1))",
  user_decimal_text: "regexpExtract(toString($1), concat('^([+-]?[0-9]+(?:[.][0-9]{0,', $2, '})?)[0-9]*$'), 1)",
  user_to_second: "toDateTime64(toStartOfSecond(toDateTime64($1, 3, 'UTC')), 3, 'UTC')",
  user_now64: "now64(3, 'UTC')",
  user_search_any: "(multiSearchAny($1, $2) = 1)",
  user_type_name: "toTypeName($1)",
  map: "mapFromArrays($1, $2)",
  user_now: "toDateTime64(now(), 3, 'UTC')",
  user_from_unix: "toDateTime64(toInt64($1), 3, 'UTC')",
  user_from_unix_fraction: "toDateTime64($1, 3, 'UTC')",
  user_from_unix_milli: "fromUnixTimestamp64Milli(toInt64($1), 'UTC')",
  user_unix_milli: "toUnixTimestamp64Milli(toDateTime64($1, 3, 'UTC'))",
  random: "randCanonical()",
  // A difference is signed: moduloOrNull of ClickHouse 26.5 gives 112 for 70000 and -7, and 0 for the signed number.
  "%": "moduloOrNull(($1 - 0), $2)",
  list_unique: "arrayUniq(arrayFilter(`our item` -> isNotNull(`our item`), $1))",
  "||": "concat($1, $2)",
  "+": "($1 + $2)",
  "*": "($1 * $2)",
  "/": "($1 / $2)",
};

/** The call of a function with arguments and a FILTER that are printed already. */
export function printCall(name: string, given: readonly string[], inside: string, where = ""): string {
  // Two minus signs would begin a comment.
  if (name === "-") return given.length === 1 ? `negate(${given[0]})` : `(${given[0]} - ${given[1]})`;
  if (name === "regexp_replace")
    return `${given.length === 4 ? "replaceRegexpAll" : "replaceRegexpOne"}(${given.slice(0, 3).join(", ")})`;
  const form = Object.hasOwn(FORMS, name) ? FORMS[name] : undefined;
  if (form !== undefined && inside !== "") return refuse(`${name} takes no DISTINCT here`);
  if (form !== undefined) return fill(form.includes("$where") ? form : `${form}$where`, given, where);
  const renamed = Object.hasOwn(RENAMED, name) ? RENAMED[name] : undefined;
  if (renamed === undefined && !SAME.includes(name)) return refuse(`The function ${name} is not available here`);
  return `${renamed ?? name}(${inside}${given.join(", ")})${where}`;
}

/** Half away from zero, as DuckDB: ClickHouse rounds half to even. */
export function printRound([value = "", digits]: readonly string[]): string {
  const scaled = digits === undefined ? `abs(${value})` : `(abs(${value}) * pow(10, ${digits}))`;
  const rounded = `sign(${value}) * (floor(${scaled}) + (${scaled} - floor(${scaled}) >= 0.5))`;
  return digits === undefined ? `(${rounded})` : `(${rounded} / pow(10, ${digits}))`;
}

/** In one pass over the form, which is ours: an argument may hold the text `$where`, and must not be searched. */
function fill(form: string, given: readonly string[], where: string): string {
  return form.replaceAll(/\$(\d|where)/g, (_, at: string) =>
    at === "where" ? where : (given[Number(at) - 1] ?? refuse("A function lacks an argument")),
  );
}

const PARTS: Readonly<Record<string, string>> = { ...TIME_PARTS, epoch: "toUnixTimestamp" };

/** EXTRACT(part FROM time). */
export function printPart(part: string | undefined, time: string): string {
  const key = (part ?? "").toLowerCase();
  const name = Object.hasOwn(PARTS, key) ? PARTS[key] : undefined;
  return name === undefined ? refuse(`EXTRACT cannot give ${part ?? "this"} here`) : `${name}(${time})`;
}

const FORMATS: Readonly<Record<string, string>> = {
  M: "%i",
  B: "%M",
  A: "%W",
  "-d": "%e",
  "-H": "%k",
  "-I": "%l",
  "-m": "%c",
};

/** strftime's format, which the check has made of formatDateTime's, turned back. */
export function clickhouseFormat(format: string): string {
  return format.replaceAll(/%(-?.)/g, (whole, letter: string) => FORMATS[letter] ?? whole);
}
