-- Columns and dimensions of the further reports. The meaning of the columns is the same as on DuckDB (schema/ there).

ALTER TABLE events_rows ADD COLUMN IF NOT EXISTS paid_source LowCardinality(String);

CREATE OR REPLACE VIEW events AS
SELECT
    project_id, day, timestamp, session, visitor, dedupe_day, dedupe_key, message_id, received_at, original_after_ms, sent_after_ms,
    channel, type, event, version, anonymous_id, user_id, address, address_spelt, session_id, origin, pathname, referrer, referrer_url, ref,
    utm_source, utm_medium, utm_campaign, utm_term, utm_content, device, browser, os, location, rdns, provider_name, chain_id, builder_codes,
    volume, revenue, points, acquisition, has_touch, context, properties, extra, paid_source
FROM events_rows FINAL;

ALTER TABLE session_rows ADD COLUMN IF NOT EXISTS active_ms UInt32 CODEC(T64, ZSTD(1));
ALTER TABLE session_rows ADD COLUMN IF NOT EXISTS entry_origin LowCardinality(String);
ALTER TABLE session_rows ADD COLUMN IF NOT EXISTS exit_origin LowCardinality(String);
ALTER TABLE session_rows ADD COLUMN IF NOT EXISTS transactions UInt32 CODEC(T64, ZSTD(1));
ALTER TABLE session_rows ADD COLUMN IF NOT EXISTS signatures UInt32 CODEC(T64, ZSTD(1));
ALTER TABLE session_rows ADD COLUMN IF NOT EXISTS connects UInt32 CODEC(T64, ZSTD(1));
ALTER TABLE session_rows ADD COLUMN IF NOT EXISTS rdns_names Array(String) CODEC(ZSTD(1));
ALTER TABLE session_rows ADD COLUMN IF NOT EXISTS addresses Array(String) CODEC(ZSTD(1));
ALTER TABLE session_rows ADD COLUMN IF NOT EXISTS pages Array(String) CODEC(ZSTD(1));
ALTER TABLE session_rows ADD COLUMN IF NOT EXISTS paid_source LowCardinality(String);

ALTER TABLE rollup_rows ADD COLUMN IF NOT EXISTS volume Int128 CODEC(ZSTD(1));
ALTER TABLE rollup_rows ADD COLUMN IF NOT EXISTS bounces Int64 CODEC(T64, ZSTD(1));
ALTER TABLE rollup_rows ADD COLUMN IF NOT EXISTS active_ms Int64 CODEC(T64, ZSTD(1));
ALTER TABLE rollup_rows ADD COLUMN IF NOT EXISTS transactions Int64 CODEC(T64, ZSTD(1));
ALTER TABLE rollup_rows ADD COLUMN IF NOT EXISTS events Int64 CODEC(T64, ZSTD(1));

-- The version of the columns and dimensions of a revision's rows. Revisions of an older one, also of a node that still
-- runs the older release, do not count: their partitions are dirty until a worker of this release materializes them.
ALTER TABLE revisions ADD COLUMN IF NOT EXISTS layout UInt16;
