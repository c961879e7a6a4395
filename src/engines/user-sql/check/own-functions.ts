/** Functions whose call in DuckDB differs by more than the name, by their names in lower case. */
import { STATEMENT_LIMITS } from "../limits.ts";
import { weigh } from "./check-expression.ts";
import { CLICKHOUSE_VALUES } from "./clickhouse-values.ts";
import type { Context } from "./context.ts";
import { type Call, type Own, refuseAggregateParts } from "./function-call.ts";
import { cut, like, readPattern } from "./patterns.ts";
import { strftimeOf } from "./time-format.ts";
import {
  and,
  call,
  caseOf,
  castToText,
  findText,
  integer,
  NOT_SUPPORTED,
  type Node,
  operator,
  refuse,
  textConstant,
} from "./tree.ts";
import { isNumeric } from "./value-kinds.ts";

export const OWN_FUNCTIONS: Readonly<Record<string, Own>> = {
  count_star: ({ children, parts }) => call("count_star", children.slice(0, 0), parts),
  count({ children, parts }) {
    if (children.length > 1 && !parts.distinct) return refuse("count takes one argument");
    return call("count", children, parts);
  },
  grouparray: (given, context) => listOf(given, context, given.parts.distinct ?? false),
  groupuniqarray: (given, context) => listOf(given, context, true),
  multiif: ({ children, parts }) => {
    const otherwise = children.at(-1);
    if (children.length < 3 || children.length % 2 === 0 || otherwise === undefined)
      return refuse("multiIf takes conditions with values, and a last value");
    const checks = [];
    for (let at = 0; at + 1 < children.length; at += 2)
      checks.push({ when_expr: children[at] as Node, then_expr: children[at + 1] as Node });
    return caseOf(checks, otherwise, parts.alias);
  },
  tostring({ children, parts }, context) {
    const [value] = children;
    if (value === undefined || children.length !== 1) return refuse("toString takes one argument");
    context.count("longerTexts");
    return castToText(value, parts.alias);
  },
  "||": concat,
  concat,
  replace: replacePart,
  replaceall: replacePart,
  splitbychar: split,
  splitbystring: split,
  "~~": likeCall({ ignoreCase: false, isNot: false }),
  "!~~": likeCall({ ignoreCase: false, isNot: true }),
  "~~*": likeCall({ ignoreCase: true, isNot: false }),
  "!~~*": likeCall({ ignoreCase: true, isNot: true }),
  match: matchCall("regexp_matches"),
  regexp_matches: matchCall("regexp_matches"),
  regexp_full_match: matchCall("regexp_full_match"),
  regexp_extract({ children, parts }, context) {
    const [value, pattern, group = integer(0)] = children;
    if (value === undefined || children.length > 3) return refuse("regexp_extract takes a text, a pattern and a group");
    return call("regexp_extract", [matched(value), readPattern(context, pattern), group], { alias: parts.alias ?? "" });
  },
  replaceregexpall: (given, context) => replacePattern(given, context, [textConstant("g")]),
  replaceregexpone: (given, context) => replacePattern(given, context, []),
  formatdatetime({ children, parts }) {
    const [value, format] = children;
    const wanted = format === undefined ? undefined : findText(format);
    if (value === undefined || wanted === undefined || children.length !== 2)
      return refuse("formatDateTime takes a time and a format");
    return call("strftime", [value, textConstant(strftimeOf(wanted))], { alias: parts.alias ?? "" });
  },
  ...CLICKHOUSE_VALUES,
  todatetime: toTime,
  todatetime64: toTime,
  parsedatetimebesteffort: toTime,
  parsedatetime64besteffort: toTime,
  /** The first group of a pattern, or all of it. */
  extract({ children, parts }, context) {
    const [value, pattern] = children;
    if (value === undefined || children.length !== 2) return refuse("extract takes a text and a pattern");
    const hasGroup = /\((?!\?)/.test((pattern && findText(pattern)) ?? "");
    const given = [matched(value), readPattern(context, pattern), integer(hasGroup ? 1 : 0)];
    return call("regexp_extract", given, { alias: parts.alias ?? "" });
  },
  "->>"({ children, parts }) {
    return call("user_json_string", children, { alias: parts.alias ?? "" });
  },
};

/** A text, a day or a time, or seconds since 1970 as a number. The number of digits of a second is not needed. */
function toTime({ name, children, parts }: Call): Node {
  const [value] = children;
  if (value === undefined || children.length > 2) return refuse("toDateTime takes one argument");
  const ofNumber = name === "todatetime64" ? "user_from_unix_fraction" : "user_from_unix";
  // Without a fraction of a second, as ClickHouse's DateTime.
  const ofOther = name === "todatetime" || name === "parsedatetimebesteffort" ? "user_to_second" : "user_to_time";
  return call(isNumeric(value) ? ofNumber : ofOther, [value], { alias: parts.alias ?? "" });
}

/** At most 1,000 items: a single value is otherwise as large as the memory. As in ClickHouse, NULL is not an item. */
function listOf({ children, parts }: Call, context: Context, distinct: boolean): Node {
  const [value] = children;
  if (value === undefined || children.length !== 1) return refuse("groupArray takes one argument");
  // Written twice: 24 arrays in each other would not end.
  context.addNodes(weigh(value, new Map()));
  const isItem = operator("OPERATOR_IS_NOT_NULL", [value]);
  const filter = parts.filter ? and(parts.filter, isItem) : isItem;
  const made = call("list", children, { ...parts, filter, alias: "", distinct, isOperator: false });
  const items = operator("ARRAY_SLICE", [made, integer(1), integer(STATEMENT_LIMITS.listItems)]);
  // Without rows an empty array, not NULL.
  return operator("OPERATOR_COALESCE", [items, call("list_value", [])], parts.alias);
}

function concat({ name, children, parts }: Call, context: Context): Node {
  refuseAggregateParts("concat", parts);
  context.count("longerTexts", children.filter((child) => findText(child) === undefined).length);
  const texts = children.map((child) =>
    findText(child) === undefined ? cut(child, STATEMENT_LIMITS.cutChars) : child,
  );
  return call(name, texts, { alias: parts.alias ?? "", isOperator: name === "||" });
}

/** The new text is short, so that the result is at most four times as long. */
function shortText(node: Node | undefined): Node {
  const by = node === undefined ? undefined : findText(node);
  if (by === undefined || by.length > STATEMENT_LIMITS.replacementChars)
    return refuse(`A part of a text is replaced by a text of at most ${STATEMENT_LIMITS.replacementChars} characters`);
  return textConstant(by);
}

function replacePart({ children, parts }: Call, context: Context): Node {
  const [value, part, by] = children;
  if (value === undefined || part === undefined || children.length !== 3) return refuse("replace takes three texts");
  context.count("replacements");
  return call("replace", [cut(value, STATEMENT_LIMITS.cutChars), part, shortText(by)], { alias: parts.alias ?? "" });
}

function replacePattern({ children, parts }: Call, context: Context, options: readonly Node[]): Node {
  const [value, pattern, by] = children;
  if (value === undefined || children.length !== 3) return refuse("replaceRegexp takes a text, a pattern and a text");
  context.count("replacements");
  const given = [matched(value), readPattern(context, pattern), shortText(by), ...options];
  return call("regexp_replace", given, { alias: parts.alias ?? "" });
}

function split({ children, parts }: Call, context: Context): Node {
  const [separator, value] = children;
  if (separator === undefined || value === undefined || children.length !== 2)
    return refuse("splitByChar takes a separator and a text");
  context.count("splits");
  return call("string_split", [cut(value, STATEMENT_LIMITS.matchedChars), separator], { alias: parts.alias ?? "" });
}

function matched(value: Node): Node {
  return cut(value, STATEMENT_LIMITS.matchedChars);
}

function matchCall(name: string): Own {
  return ({ children, parts }, context) => {
    const [value, pattern] = children;
    if (value === undefined || children.length !== 2) return refuse("match takes a text and a pattern");
    return call(name, [matched(value), readPattern(context, pattern)], { alias: parts.alias ?? "" });
  };
}

function likeCall(options: { ignoreCase: boolean; isNot: boolean }): Own {
  return ({ children, parts }, context) => {
    const [value, pattern] = children;
    if (value === undefined || pattern === undefined) return refuse(NOT_SUPPORTED);
    return { ...like(context, value, pattern, options), alias: parts.alias ?? "" };
  };
}
