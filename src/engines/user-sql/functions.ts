/**
 * The functions that a statement of a user may call. Names ignore case. Everything else is refused, also functions that
 * the engine adds in a later version. functions.json has the plain ones: name, kind, name in DuckDB, description.
 * SPECIAL has those whose arguments are checked or written otherwise (check/check-function.ts).
 */
import { readFileSync } from "node:fs";

export type FunctionKind = "aggregate" | "window" | "scalar";

export interface UserFunction {
  readonly name: string;
  readonly kind: FunctionKind;
  /** A function or a macro (../duckdb/user-sql/functions.sql). */
  readonly duckdb: string;
  readonly about: string;
}

type Line = readonly [name: string, kind: FunctionKind, duckdb: string, about: string];

const PLAIN = (JSON.parse(readFileSync(new URL("./functions.json", import.meta.url), "utf8")) as Line[]).map(
  ([name, kind, duckdb, about]): UserFunction => ({ name, kind, duckdb, about }),
);

const special = (kind: FunctionKind, names: Readonly<Record<string, string>>): UserFunction[] =>
  Object.entries(names).map(([name, about]) => ({ name, kind, duckdb: "", about }));

const SPECIAL: readonly UserFunction[] = [
  ...special("aggregate", {
    count: "Rows, or values that are not NULL; also count() and COUNT(DISTINCT x)",
    uniq: "Different values, exact",
    uniqExact: "As uniq",
    uniqCombined: "As uniq",
    uniqHLL12: "As uniq",
    countDistinct: "As uniq",
    groupArray: "An array of the values, at most 1,000",
    groupUniqArray: "An array of the different values, at most 1,000",
  }),
  ...special("scalar", {
    multiIf: "multiIf(condition, value, ..., otherwise)",
    toString: "The value as a text",
    concat: "Joins texts; each is cut at 8,192 characters. Also ||",
    replace: "replace(text, part, by), all parts; by has at most 4 characters",
    replaceAll: "As replace",
    splitByChar: "splitByChar(separator, text): an array",
    splitByString: "As splitByChar",
    match: "match(text, pattern): true if the pattern of a regular expression occurs",
    regexp_matches: "As match",
    regexp_full_match: "True if the pattern matches the whole text. Also ~ and SIMILAR TO",
    regexp_extract: "regexp_extract(text, pattern, group)",
    replaceRegexpAll: "replaceRegexpAll(text, pattern, by), all occurrences",
    replaceRegexpOne: "replaceRegexpOne(text, pattern, by), the first occurrence",
    toDateTime: "Time of a day, a text, or seconds since 1970",
    toDateTime64: "As toDateTime",
    parseDateTimeBestEffort: "As toDateTime",
    parseDateTime64BestEffort: "As toDateTime",
    extract: "extract(text, pattern): the first group of the pattern, or what it matches",
    toDecimal64: "toDecimal64(value, digits): a number with so many digits after the point; further ones are cut off",
    toUUID: "A UUID of a text",
    toTypeName: "Name of the value's type in ClickHouse, without Nullable",
    map: "map(key, value, ...)",
    multiSearchAny: "multiSearchAny(text, ['a', 'b']): true if one of them occurs",
    formatDateTime: "formatDateTime(time, '%Y-%m-%d %H:%i:%S')",
  }),
];

/** An operator has no description and is not listed. */
export const FUNCTIONS: readonly UserFunction[] = [...PLAIN, ...SPECIAL];

const BY_NAME: ReadonlyMap<string, UserFunction> = new Map(FUNCTIONS.map((each) => [each.name.toLowerCase(), each]));

export function findFunction(name: string): UserFunction | undefined {
  return BY_NAME.get(name.toLowerCase());
}
