/** Formats of ClickHouse's formatDateTime as those of DuckDB's strftime. */
import { refuse } from "./tree.ts";

const MOST_CHARS = 64;

const SAME = "YymdHSjabpIwuVGfC%";
const OTHERS: Readonly<Record<string, string>> = {
  i: "%M",
  s: "%S",
  M: "%B",
  W: "%A",
  h: "%I",
  e: "%-d",
  k: "%-H",
  l: "%-I",
  c: "%-m",
  F: "%Y-%m-%d",
  T: "%H:%M:%S",
  R: "%H:%M",
  D: "%m/%d/%y",
};

export function strftimeOf(format: string): string {
  if (format.length > MOST_CHARS) refuse(`A time format has more than ${MOST_CHARS} characters`);
  return format.replaceAll(/%(.?)/gs, (whole, letter: string) => {
    if (letter !== "" && SAME.includes(letter)) return whole;
    return OTHERS[letter] ?? refuse(`The time format %${letter} is not supported`);
  });
}
