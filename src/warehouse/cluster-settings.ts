/**
 * What every statement to a ClickHouse cluster says, whatever the profile of its user has. Each is a promise of ours that the
 * engine's defaults would break, or that a later version might.
 */
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
  /** Below the 130 s of a statement, so that ClickHouse says which of its nodes did not take a change of the schema. */
  distributed_ddl_task_timeout: 120,
} as const;
