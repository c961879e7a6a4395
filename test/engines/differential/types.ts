/**
 * The types of generated expressions. `real` is a number whose last digits depend on the order of additions or on the
 * library of mathematics: it is returned and computed with, and never compared, grouped, ordered by or rounded.
 */
export const TYPES = ["int", "float", "text", "bool", "date", "time", "ints", "texts", "real"] as const;
export type Type = (typeof TYPES)[number];

export interface Column {
  readonly sql: string;
  readonly type: Type;
}

/** A relation that a FROM may name. */
export interface Relation {
  readonly name: string;
  readonly columns: readonly Column[];
  /** A column of texts without NULL whose values are different in all rows. */
  readonly unique?: string | undefined;
  /** The columns to select from it, if it is a table of many. */
  readonly isTable?: true;
}

/** What an expression may use. */
export interface Scope {
  readonly columns: readonly Column[];
  /** An expression whose value is different in all rows: ends every order that must be total. */
  readonly unique?: string | undefined;
  /** The rows of the groups, where aggregates are allowed. `columns` are then the keys. */
  readonly rows?: Scope | undefined;
  /** Window functions are allowed, at the top of an expression only. */
  readonly hasWindows?: boolean;
  readonly relations: readonly Relation[];
}
