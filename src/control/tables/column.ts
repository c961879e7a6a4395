import type { ColumnType } from "kysely";

/** Epoch milliseconds, everywhere below the HTTP layer: one integer type in both stores, and no time zones. */
export type Millis = number;
/** Set at creation and never changed. */
export type Fixed<T> = ColumnType<T, T, never>;
