/** Prints a call of a function or an aggregate. */
import { findText, type Node, refuse } from "../../user-sql/check/tree.ts";
import { quoteText } from "./constants.ts";
import { clickhouseFormat, printCall, printPart, printRound } from "./functions.ts";
import { besideInterval, KEEPING, printShown, signed, textOrEmpty } from "./print-parts.ts";
import type { Printer } from "./printer.ts";
import { isInterval } from "./value-kinds.ts";

export function printFunction(printer: Printer, node: Node): string {
  const given = node.children as readonly Node[];
  const name = String(node.function_name);
  if (((node.order_bys as { orders: unknown[] }).orders ?? []).length > 0)
    return refuse("ORDER BY in an aggregate is not supported here");
  const texts = given.map(KEEPING.has(name) ? (each) => printShown(printer, each) : printer.expression);
  const where = node.filter === null ? "" : ` FILTER (WHERE ${printer.expression(node.filter as Node)})`;
  const print = Object.hasOwn(SPECIAL, name) ? SPECIAL[name] : undefined;
  const special = print?.(texts, { printer, given, where, isDistinct: node.distinct === true });
  if (special !== undefined) return special;
  if (given.some(isInterval)) return printCall(name, name === "*" ? texts : texts.map(besideInterval(given)), "");
  return signed(name, printCall(name, texts, node.distinct === true ? "DISTINCT " : "", where));
}

interface Call {
  readonly printer: Printer;
  readonly given: readonly Node[];
  readonly where: string;
  readonly isDistinct: boolean;
}

/** Functions whose text depends on more than the texts of their arguments; undefined: as every other. */
const SPECIAL: Readonly<Record<string, (texts: readonly string[], call: Call) => string | undefined>> = {
  // ClickHouse rounds weeks down, other units towards zero.
  date_sub: (texts, { given: [unit] }) =>
    unit && findText(unit) === "week" ? `intDiv(age('day', ${texts.slice(1).join(", ")}), 7)` : undefined,
  date_part: (texts, { given: [part] }) => printPart(part && findText(part), texts[1] ?? ""),
  strftime: (texts, { given: [, format] }) =>
    `formatDateTime(${texts[0]}, ${quoteText(clickhouseFormat((format && findText(format)) ?? ""))})`,
  list: (texts, { isDistinct, where }) => (isDistinct ? `groupUniqArray(${texts.join(", ")})${where}` : undefined),
  length: (texts, { printer, given }) =>
    `toInt64(${printer.isArray(given[0]) ? "length" : "lengthUTF8"}(${texts.join(", ")}))`,
  // As on DuckDB, a NULL is left out; `||` gives NULL.
  concat: (texts) => printCall("concat", texts.map(textOrEmpty), ""),
  unnest(texts, { printer: { budget, scope } }) {
    if (scope.zipped.length === 0) return undefined;
    const arrays = scope.zipped.join(", ");
    budget.repeat(arrays.length);
    return `tupleElement(arrayJoin(arrayZipUnaligned(${arrays})), ${scope.zipped.indexOf(texts[0] ?? "") + 1})`;
  },
  round(texts, { printer }) {
    printer.budget.repeat(4 * texts.join("").length, "The query rounds too long an expression");
    return printRound(texts);
  },
};
