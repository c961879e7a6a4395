import { createHash } from "node:crypto";
import type { Cte } from "../../engines/relations.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { withParts } from "../../lib/sql.ts";
import { wordsOf } from "../../lib/sql-columns.ts";

/**
 * Written statements: the reports of some dashboards. Their values are no part of them. To write one takes 0.2 ms, most of it
 * for its thousands of words, and to find it 0.04.
 */
const WRITTEN = 256;
const written = new BoundedCache<string>(WRITTEN);

type Narrow = NonNullable<Cte["narrow"]>;
const known = new WeakMap<Narrow, number>();
let last = 0;

/**
 * The statement with the engine's relations and its own CTEs before it. A relation that can has only the columns that
 * something after it mentions: the planner of an engine may look at all others, too.
 */
export function withRelations(ctes: readonly Cte[], statement: string): string {
  const key = findKey(ctes, statement);
  const before = key === undefined ? undefined : written.find(key);
  if (before !== undefined) return before;
  const text = write(ctes, statement);
  if (key !== undefined) written.put(key, text);
  return text;
}

/** Undefined: a relation is written for this question alone, as those of time zones are. Another one would not find it. */
function findKey(ctes: readonly Cte[], statement: string): string | undefined {
  let isKnown = true;
  const hash = createHash("sha256").update(statement);
  for (const { name, sql, narrow, isOptional = false } of ctes) {
    let nth = 0;
    if (narrow !== undefined) {
      nth = known.get(narrow) ?? 0;
      if (nth === 0) {
        isKnown = false;
        last += 1;
        known.set(narrow, last);
      }
    }
    if (isKnown) hash.update(`\n${name} ${nth} ${isOptional} ${sql.length}\n${sql}`);
  }
  return isKnown ? hash.digest("base64url") : undefined;
}

function write(ctes: readonly Cte[], statement: string): string {
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
