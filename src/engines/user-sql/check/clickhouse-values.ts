/** Calls that make values of ClickHouse's types: toDecimal64, toUUID, toTypeName, map and multiSearchAny. */
import { STATEMENT_LIMITS } from "../limits.ts";
import { typeOf } from "./answer-types.ts";
import type { Own } from "./function-call.ts";
import { cut } from "./patterns.ts";
import { call, cast, findInteger, type Node, refuse, textConstant } from "./tree.ts";

const MOST_DIGITS = 18;
/** Each is looked for in every text. */
const MOST_PARTS = 100;

export const CLICKHOUSE_VALUES: Readonly<Record<string, Own>> = {
  todecimal64({ children: [value, digits], parts }) {
    const scale = digits === undefined ? undefined : findInteger(digits);
    if (value === undefined || scale === undefined || scale < 0 || scale > MOST_DIGITS)
      return refuse(`toDecimal64 takes a value and a number of digits up to ${MOST_DIGITS}`);
    const info = { type: "DECIMAL_TYPE_INFO", alias: "", extension_info: null, width: MOST_DIGITS, scale };
    const text = call("user_decimal_text", [value, textConstant(String(scale))]);
    return { ...cast(text, { id: "DECIMAL", type_info: info }), alias: parts.alias ?? "" };
  },
  touuid({ children: [value, more], parts }) {
    if (value === undefined || more !== undefined) return refuse("toUUID takes one text");
    return { ...cast(value, { id: "UUID", type_info: null }), alias: parts.alias ?? "" };
  },
  totypename({ children: [value, more], parts }) {
    if (value === undefined || more !== undefined) return refuse("toTypeName takes one argument");
    const type = typeOf(value);
    if (type !== undefined) return { ...textConstant(type), alias: parts.alias ?? "" };
    return call("user_type_name", [value], { alias: parts.alias ?? "" });
  },
  map({ children, parts }) {
    if (children.length % 2 === 1 || children.length > STATEMENT_LIMITS.listItems)
      return refuse("map takes pairs of a key and a value");
    const every = (rest: number) =>
      call(
        "list_value",
        children.filter((_, at) => at % 2 === rest),
      );
    return call("map", [every(0), every(1)], { alias: parts.alias ?? "" });
  },
  multisearchany({ children: [value, list, more], parts }, context) {
    const items = (list?.function_name === "list_value" ? list.children : undefined) as readonly Node[] | undefined;
    if (value === undefined || items === undefined || more !== undefined || items.length > MOST_PARTS)
      return refuse(`multiSearchAny takes a text and an array of at most ${MOST_PARTS} texts`);
    context.count("splits");
    const given = [cut(value, STATEMENT_LIMITS.matchedChars), list as Node];
    return call("user_search_any", given, { alias: parts.alias ?? "" });
  },
};
