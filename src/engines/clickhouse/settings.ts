/** What statements say to ClickHouse, whatever the profile of its user has. Each is a promise of ours that its defaults would break, or that a later version might. */

/** Copies of a message have the same day in their key, and so the same partition. */
export const READ_SETTINGS = {
  do_not_merge_across_partitions_select_final: 1,
  /** Whole numbers as numbers. */
  output_format_json_quote_64bit_integers: 0,
  /** With this one a report can neither write nor leave the server, whatever its SQL says. */
  readonly: 1,
} as const;

/**
 * A server's own defaults answer an insert before its rows are stored: it may gather small inserts, and a Distributed table sends rows on in the
 * background. Our order of writes (marks before events, rows before the revision that names them, events before the cursor) needs them stored.
 */
export const WRITE_SETTINGS = { async_insert: 0, distributed_foreground_insert: 1 } as const;

/** A batch may hold any months (a backfill), and one thread parses 8 MB faster than two share them: 32 against 38 us a row. */
export const INSERT_SETTINGS = { max_partitions_per_insert_block: 0, input_format_parallel_parsing: 0 } as const;

export const CLUSTER_SETTINGS = {
  /** All of a project is on one shard, so a subquery asks the shard's own part. The default refuses such reports. */
  distributed_product_mode: "local",
  /** The node that was asked reads all shards and writes what comes of it: one meaning of INSERT ... SELECT in every version. */
  parallel_distributed_insert_select: 0,
  /** Of the replicas of a shard everybody asks the first that lives, so who reads finds what was written a moment ago. */
  load_balancing: "in_order",
  prefer_localhost_replica: 0,
  /** An answer without one shard would be a wrong one. */
  skip_unavailable_shards: 0,
  /** Below the time of a statement, so that ClickHouse says which of its nodes did not take a change of the schema. */
  distributed_ddl_task_timeout: 120,
} as const;
