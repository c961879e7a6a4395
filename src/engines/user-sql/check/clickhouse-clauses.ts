/** `LIMIT 0, 200` and `INTERVAL -30 day`, which DuckDB's parser does not read. */
import { is, type Token } from "../../../lib/sql-tokens.ts";

export function toDuckdbClauses(tokens: readonly Token[]): readonly Token[] {
  const all: Token[] = [];
  const next = (from: number) => {
    let at = from;
    while (tokens[at]?.kind === "blank") at += 1;
    return at;
  };
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as Token;
    const first = next(at + 1);
    const second = next(first + 1);
    const third = next(second + 1);
    if (is(token, "LIMIT") && tokens[first]?.kind === "number" && is(tokens[second], ",")) {
      if (tokens[third]?.kind === "number") {
        all.push(symbol(`LIMIT ${tokens[third].text} OFFSET ${tokens[first].text}`));
        at = third;
        continue;
      }
    } else if (is(token, "INTERVAL") && is(tokens[first], "-") && tokens[second]?.kind === "number") {
      all.push(symbol(`INTERVAL (-${tokens[second].text})`));
      at = second;
      continue;
    }
    all.push(token);
  }
  return all;
}

function symbol(text: string): Token {
  return { kind: "symbol", text };
}
