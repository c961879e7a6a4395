/** Intervals that end beyond the calendar: DuckDB refuses them, and ClickHouse counts on from 1900. */
import { isNumber, type Node, refuse } from "./tree.ts";

const MOST_YEARS = 10_000;
/** Of a year. */
const PER_YEAR: Readonly<Record<string, number>> = {
  years: 1,
  quarters: 4,
  months: 12,
  weeks: 52,
  days: 366,
  hours: 8_784,
  minutes: 527_040,
  seconds: 31_622_400,
  milliseconds: 31_622_400_000,
};

/** `name` is that of DuckDB; the length is the last argument. */
export function refuseLongInterval(name: string, children: readonly Node[]): void {
  const [, unit = ""] = /^(?:to|user_add|user_subtract)_([a-z]+)$/.exec(name) ?? [];
  const perYear = PER_YEAR[unit];
  const length = numberIn(children.at(-1)) ?? 0;
  // A text that is no number is refused for what it is.
  if (perYear === undefined || !(Math.abs(length) > MOST_YEARS * perYear)) return;
  refuse(`An interval is longer than ${MOST_YEARS} years`);
}

/** The parser writes INTERVAL 5 YEAR as the whole part of 5. */
function numberIn(node: Node | undefined): number | undefined {
  if (node?.class === "CAST") return numberIn(node.child as Node);
  if (node?.class === "FUNCTION" && (node.function_name === "trunc" || node.function_name === "-"))
    return numberIn((node.children as readonly Node[])[0]);
  if (node?.class !== "CONSTANT") return undefined;
  const { type, value } = node.value as { type: { id: string }; value?: unknown };
  if (type.id === "VARCHAR") return Number(value);
  return isNumber(value) ? Number(JSON.stringify(value)) : undefined;
}
