/** What printing one statement needs: how its nodes are printed, the SELECT at hand, and what the text may cost. */

import { type Node, refuse } from "../../user-sql/check/tree.ts";
import { STATEMENT_LIMITS } from "../../user-sql/limits.ts";

/** What the expressions of one SELECT depend on. */
export interface Scope {
  /** Arrays that its columns unnest, if there are several: their items are joined one by one, not every pair. */
  readonly zipped: readonly string[];
  /** Expressions that a row of other grouping sets has as NULL. */
  readonly nullable: ReadonlySet<string>;
}
export const PLAIN: Scope = { zipped: [], nullable: new Set() };

export interface Printer {
  readonly query: (node: Node) => string;
  readonly expression: (node: Node) => string;
  readonly isArray: (node: Node | undefined) => boolean;
  /** Whether the statement calls `grouping(...)`. */
  readonly hasGrouping: boolean;
  readonly budget: Budget;
  /** Of the SELECT that is printed. */
  scope: Scope;
}

/** Characters that are printed more than once: `(a IN (b, c)) IN (d, e)` doubles at each level, round makes four of one. */
const MOST_REPEATED = 65_536;
/** ClickHouse reads no longer statement. */
const MOST_CHARS = 262_144;
/** Expressions that are printed. Those of a statement and of its tables are below a tenth. */
const MOST_PRINTED = 20 * STATEMENT_LIMITS.nodes;
const TOO_LONG = "The query is too long";

/** Refuses a statement whose text would grow beyond what it may cost. */
export class Budget {
  #repeated = 0;
  #printed = 0;

  countExpression(): void {
    this.#printed += 1;
    if (this.#printed > MOST_PRINTED) refuse(TOO_LONG);
  }

  repeat(chars: number, tooMuch = "The query repeats too long expressions"): void {
    this.#repeated += chars;
    if (this.#repeated > MOST_REPEATED) refuse(tooMuch);
  }

  limited(sql: string): string {
    return sql.length > MOST_CHARS ? refuse(TOO_LONG) : sql;
  }
}

/** What is printed in another place, too. */
export function printAgain({ expression, budget }: Printer, node: Node): string {
  const sql = expression(node);
  budget.repeat(sql.length);
  return sql;
}

export function printAll(nodes: unknown, print: (each: Node) => string): string {
  return (nodes as readonly Node[]).map(print).join(", ");
}

export function printOrder({ expression }: Printer): (order: Node) => string {
  return ({ type, null_order, expression: by }) => {
    const direction = type === "DESCENDING" ? " DESC" : "";
    return expression(by as Node) + direction + (null_order === "ORDER_DEFAULT" ? "" : ` ${String(null_order)}`);
  };
}
