import type { Cte } from "../../engines/port.ts";
import { withParts } from "../../lib/sql.ts";
import { wordsOf } from "../../lib/sql-columns.ts";

/**
 * The statement with the engine's relations and its own CTEs before it. A relation that can has only the columns that
 * something after it mentions: the planner of an engine may look at all others, too.
 */
export function withRelations(ctes: readonly Cte[], statement: string): string {
  const narrowed: { name: string; sql: string }[] = [];
  for (const { name, sql, narrow, isOptional } of ctes.toReversed()) {
    const words = () => wordsOf(statement, ...narrowed.map((reader) => reader.sql));
    if (isOptional && !words().has(name)) continue;
    narrowed.unshift({ name, sql: narrow === undefined ? sql : narrow(words()) });
  }
  return withParts(narrowed, statement);
}
