/** Prints a window function. */
import { type Node, refuse } from "../../user-sql/check/tree.ts";
import { printCall } from "./functions.ts";
import { isOfOtherRow, nullable, signed } from "./print-parts.ts";
import { type Printer, printAll, printOrder } from "./printer.ts";

export function printWindow(printer: Printer, node: Node): string {
  const { expression } = printer;
  const name = String(node.function_name);
  const given = printArguments(printer, name, node);
  if (node.exclude_clause !== "NO_OTHER") return refuse("EXCLUDE is not supported here");
  const filter = node.filter_expr === null ? "" : ` FILTER (WHERE ${expression(node.filter_expr as Node)})`;
  const respect = /^(?:first|last)_value$/.test(name) ? " RESPECT NULLS" : "";
  const nulls = node.ignore_nulls === true ? " IGNORE NULLS" : respect;
  const partitions = node.partitions as readonly Node[];
  const orders = node.orders as readonly Node[];
  const parts = [
    partitions.length === 0 ? "" : `PARTITION BY ${printAll(partitions, expression)}`,
    orders.length === 0 ? "" : `ORDER BY ${printAll(orders, printOrder(printer))}`,
    printFrame(printer, node),
  ];
  const called = printCall(name, given, node.distinct === true ? "DISTINCT " : "", filter);
  return signed(name, `${called}${nulls} OVER (${parts.filter((part) => part !== "").join(" ")})`);
}

function printArguments({ expression, budget }: Printer, name: string, node: Node): readonly string[] {
  const extra = [node.offset_expr, node.default_expr]
    .filter((part) => part !== null)
    .map((part) => expression(part as Node));
  const values = (node.children as readonly Node[]).map(expression);
  const [offset, otherwise] = extra;
  const given = [...(isOfOtherRow(name, extra.length) ? values.map(nullable) : values), ...extra];
  // The value and what stands for it must have one type: that of an array of both.
  if (offset !== undefined && otherwise !== undefined) {
    budget.repeat(`${values[0]}${otherwise}`.length);
    given.splice(0, 3, `[${values[0]}, ${otherwise}][1]`, offset, `[${otherwise}, ${values[0]}][1]`);
  }
  return given;
}

function printFrame({ expression }: Printer, { start, end, start_expr, end_expr }: Node): string {
  if (start === "UNBOUNDED_PRECEDING" && end === "CURRENT_ROW_RANGE") return "";
  const unit = /ROWS$/.test(`${String(start)}`) || /ROWS$/.test(String(end)) ? "ROWS" : "RANGE";
  const bound = (kind: string, by: unknown) => {
    if (kind === "UNBOUNDED_PRECEDING") return "UNBOUNDED PRECEDING";
    if (kind === "UNBOUNDED_FOLLOWING") return "UNBOUNDED FOLLOWING";
    if (kind.startsWith("CURRENT_ROW")) return "CURRENT ROW";
    return `${expression(by as Node)} ${kind.includes("PRECEDING") ? "PRECEDING" : "FOLLOWING"}`;
  };
  return `${unit} BETWEEN ${bound(String(start), start_expr)} AND ${bound(String(end), end_expr)}`;
}
