/**
 * Counts grouping sets before the parser does: it writes each set of a CUBE into its tree, 32,768 for 15 names. Twenty of
 * them, 4 KB of text, took 4.6 s and 1 GB.
 */
import { STATEMENT_LIMITS } from "../limits.ts";
import { maskQuoted } from "./mask-quoted.ts";
import { refuse } from "./tree.ts";

const TOO_MANY = "The query has too many grouping sets";
const TOKEN = /\bgroup\s+by\b|\bgrouping\s+sets\s*\(|\b(?:cube|rollup)\s*\(|[(),]/gi;

interface Bracket {
  readonly kind: "cube" | "rollup" | "sets" | "other";
  /** Of CUBE and ROLLUP: their names. Of GROUPING SETS: its sets. */
  items: number;
  /** The product of the grouping sets of one GROUP BY, which are between these brackets. */
  sets: number;
  /** GROUPING SETS: the sets of CUBE and ROLLUP among its items, beyond one for each item. */
  more: number;
}

/** `text` is in the syntax of DuckDB's parser. */
export function refuseManyGroupingSets(text: string): void {
  let total = 0;
  const add = (sets: number) => {
    total += sets;
    if (sets > STATEMENT_LIMITS.groupingSets || total > STATEMENT_LIMITS.allGroupingSets) refuse(TOO_MANY);
  };
  const open: Bracket[] = [bracket("other")];
  for (const [found] of maskQuoted(text).matchAll(TOKEN)) {
    const inner = open.at(-1) ?? bracket("other");
    const word = found.toLowerCase();
    if (word === ",") inner.items += 1;
    else if (word === ")") {
      if (open.length > 1) open.pop();
      const outer = open.at(-1) ?? bracket("other");
      if (inner.kind === "other") add(inner.sets - 1);
      else if (outer.kind === "sets") outer.more += setsOf(inner) - 1;
      else {
        outer.sets *= setsOf(inner);
        // Here and not at its end: a product of many would be infinite.
        if (outer.sets > STATEMENT_LIMITS.groupingSets) refuse(TOO_MANY);
      }
    } else if (/^group\s/.test(word)) {
      // The GROUP BY before it, of another part of a UNION, has ended.
      add(inner.sets - 1);
      inner.sets = 1;
    } else open.push(bracket(kindOf(word)));
  }
  // Those of brackets that are not closed: the parser will say so.
  for (const { sets } of open) add(sets - 1);
}

function bracket(kind: Bracket["kind"]): Bracket {
  return { kind, items: 1, sets: 1, more: 0 };
}

function kindOf(word: string): Bracket["kind"] {
  if (word.startsWith("cube")) return "cube";
  if (word.startsWith("rollup")) return "rollup";
  return word.startsWith("grouping") ? "sets" : "other";
}

function setsOf({ kind, items, more }: Bracket): number {
  if (kind === "cube") return 2 ** items;
  return kind === "rollup" ? items + 1 : items + more;
}
