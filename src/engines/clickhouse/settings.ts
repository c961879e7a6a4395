/**
 * Settings that are sent with statements, so that the user's profile cannot change them. Each one guards a promise of
 * ours that a default of this or of a later version would break.
 */

/** Copies of a message share their dedupe day, and therefore their ClickHouse partition. */
export const READ_SETTINGS = {
  do_not_merge_across_partitions_select_final: 1,
  /** Returns 64-bit integers as numbers. */
  output_format_json_quote_64bit_integers: 0,
  /** A report can neither write nor reach another server, whatever its SQL contains. */
  readonly: 1,
  /** Before 26.7 a text such as -28.6852 became the number beside it: `>=` and `IN` then missed the stored one. */
  precise_float_parsing: 1,
} as const;

/**
 * By default a server may answer an insert before its rows are stored: it may collect small inserts, and a Distributed
 * table forwards rows in the background. Our order of writes (marks before events, rows before their revision, events
 * before the cursor) needs stored rows.
 */
export const WRITE_SETTINGS = { async_insert: 0, distributed_foreground_insert: 1 } as const;

/**
 * A batch may span any number of months (a backfill). One thread parses 8 MB faster than two: 32 against 38 us a row.
 */
export const INSERT_SETTINGS = { max_partitions_per_insert_block: 0, input_format_parallel_parsing: 0 } as const;

export const CLUSTER_SETTINGS = {
  /** A project lies on one shard, so a subquery reads only its own shard. The default refuses such reports. */
  distributed_product_mode: "local",
  /**
   * The initiating node reads all shards and writes the result: INSERT ... SELECT then means the same in every version.
   */
  parallel_distributed_insert_select: 0,
  /** Every node prefers the first available replica of a shard, so that reads see recent writes. */
  load_balancing: "in_order",
  prefer_localhost_replica: 0,
  /** A result that lacks a shard would be wrong. */
  skip_unavailable_shards: 0,
  /** Shorter than the limit of a statement, so that ClickHouse names the node that did not apply a schema change. */
  distributed_ddl_task_timeout: 120,
} as const;
