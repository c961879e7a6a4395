import type { Cte } from "../../engines/port.ts";
import { withParts } from "../../lib/sql.ts";
import { wordsOf } from "../../lib/sql-columns.ts";

/**
 * The statement with the engine's relations and its own CTEs before it. A relation that can has only the columns that
 * something after it mentions: the planner of an engine may look at all others, too.
 */
export function withRelations(ctes: readonly Cte[], statement: string): string {
  const narrowed = ctes.map(({ name, sql, narrow }, at) => {
    if (narrow === undefined) return { name, sql };
    const readers = ctes.slice(at + 1).map((cte) => cte.sql);
    return { name, sql: narrow(wordsOf(statement, ...readers)) };
  });
  return withParts(narrowed, statement);
}
