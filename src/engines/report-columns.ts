import { ARRIVAL_COLUMNS, CLIENT_COLUMNS } from "../contract/metric-columns.ts";

/**
 * The columns of `sessions` and `rollups` on both engines. DuckDB's sessions have more, from which the writer merges
 * new events.
 */
export const SESSION_COLUMNS = [
  "project_id",
  "day",
  "session",
  "visitor",
  "is_first",
  "started_at",
  "ended_at",
  "active_ms",
  "is_bounce",
  "entry_origin",
  "entry_page",
  "exit_origin",
  "exit_page",
  "address",
  "hits",
  "events",
  "transactions",
  "signatures",
  "connects",
  "chains",
  "rdns_names",
  "addresses",
  "pages",
  "revenue",
  "volume",
  "points",
  ...ARRIVAL_COLUMNS,
  "channel",
  "origin",
  "pathname",
  "builder_codes",
  ...CLIENT_COLUMNS,
  "paid_source",
  "click_id",
] as const;

export const ROLLUP_COLUMNS = [
  "project_id",
  "day",
  "dimension",
  "value",
  "seen_before",
  "hits",
  "sessions",
  "visitors",
  "revenue",
  "volume",
  "bounces",
  "active_ms",
  "transactions",
  "events",
] as const;
