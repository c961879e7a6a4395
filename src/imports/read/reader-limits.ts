/**
 * Of a process that reads a file: Parquet of large texts took 668 MiB, of which DuckDB has 512, and a million sums of days
 * took 591 MiB.
 */
export const READER_MOST_MB = 1_024;

/** How a reader ends that has written why: in our words, or in those of a library. */
export const REFUSED_CODE = { said: 3, failed: 4 } as const;
