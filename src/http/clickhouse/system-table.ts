import type { SqlQuestion } from "../../query/sql/run-sql.ts";

export type Described = { readonly name: string; readonly description: string };

export interface CatalogueTable extends Described {
  readonly columns: readonly (Described & { readonly type: string })[];
}

/** A constant relation that BI tools read. */
export type SystemTable = NonNullable<SqlQuestion["relations"]>[number];
