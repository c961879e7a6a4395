/** Patterns of texts that people type. */

/** Something to read, in one line. */
export const ONE_LINE = "^(?=.*\\S)[^\\x00-\\x1f]*$";

/** PostgreSQL does not store NUL. */
export const NO_NUL = "^[^\\x00]*$";
