/** Messages between the engine and the processes that plan statements of users. */
import type { UserQuery } from "../../user-sql/user-query.ts";

export interface PlanRequest extends Pick<UserQuery, "sql" | "defaultRows" | "relations" | "format"> {
  /** The rows of the answer, or their number without LIMIT and OFFSET. */
  readonly part: "page" | "total";
}

/** With the processor time that planning it may take. */
export interface ToPlanner extends PlanRequest {
  readonly processorMs: number;
}

export interface PlannedStatement {
  readonly sql: string;
  /** Name and ClickHouse's type; none for a total. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly limit: number;
  readonly offset: number;
  readonly hasLimit: boolean;
  readonly readsProject: boolean;
}

export type FromPlanner =
  | { readonly type: "ready" }
  | { readonly type: "planned"; readonly plan: PlannedStatement }
  /** The statement has had more processor time than planning may take. */
  | { readonly type: "late" }
  | { readonly type: "failed"; readonly isRefused: boolean; readonly message: string };
