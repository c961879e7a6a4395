/**
 * Of a process that reads a file. DuckDB has 256 MiB of it, Node takes 100 MiB, and the sums of the largest export of
 * days 550 MiB.
 */
export const READER_MOST_MB = 1_024;

/** How a reader ends that has written why: in our words, or in those of a library. */
export const REFUSED_CODE = { said: 3, failed: 4 } as const;
