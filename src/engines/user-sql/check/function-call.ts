import type { Context } from "./context.ts";
import { type CallParts, type Node, refuse } from "./tree.ts";

/** A checked call of a function. */
export interface Call {
  /** Lower case. */
  readonly name: string;
  readonly children: readonly Node[];
  readonly parts: CallParts;
}

/** Makes the call that DuckDB gets. */
export type Own = (given: Call, context: Context) => Node;

export function refuseAggregateParts(name: string, { distinct, filter, orders }: CallParts): void {
  if (distinct || filter || (orders?.length ?? 0) > 0) refuse(`${name} takes no DISTINCT, FILTER or ORDER BY`);
}
