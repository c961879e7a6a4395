import type { Cte } from "../../engines/relations.ts";
import { withParts } from "../../lib/sql.ts";
import { wordsOf } from "../../lib/sql-columns.ts";

/**
 * The statement with the engine's relations and its own CTEs before it. A relation that can has only the columns that
 * something after it mentions: the planner of an engine may look at all others, too.
 */
export function withRelations(ctes: readonly Cte[], statement: string): string {
  const narrowed: { name: string; sql: string }[] = [];
  const texts = [statement];
  // Each text is read once, and only for a relation that asks: the words of all took a third of the time to write one.
  const words = new Set<string>();
  let read = 0;
  const wordsSoFar = () => {
    for (; read < texts.length; read += 1) for (const word of wordsOf(texts[read] ?? "")) words.add(word);
    return words;
  };
  for (const { name, sql, narrow, isOptional } of ctes.toReversed()) {
    if (isOptional && !isMentioned(name, texts)) continue;
    const kept = narrow === undefined ? sql : narrow(wordsSoFar());
    texts.push(kept);
    narrowed.unshift({ name, sql: kept });
  }
  return withParts(narrowed, statement);
}

function isMentioned(name: string, texts: readonly string[]): boolean {
  const word = new RegExp(`\\b${name}\\b`);
  return texts.some((text) => word.test(text));
}
