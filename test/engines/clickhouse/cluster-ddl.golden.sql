-- What SEXTANT_CLICKHOUSE_CLUSTER=main makes of the schema in a database sextant. Generated (npm run generate), compared by a test.

-- With every statement:
--   distributed_product_mode = local
--   parallel_distributed_insert_select = 0
--   load_balancing = in_order
--   prefer_localhost_replica = 0
--   skip_unavailable_shards = 0
--   distributed_ddl_task_timeout = 120

-- With every write:
--   async_insert = 0
--   distributed_foreground_insert = 1

-- Migrations, in order:

CREATE DATABASE IF NOT EXISTS `sextant` ON CLUSTER 'main';

CREATE TABLE IF NOT EXISTS schema_migrations ON CLUSTER 'main'
(
    version UInt32,
    name String,
    checksum String,
    applied_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/all/{database}/schema_migrations', '{shard}-{replica}')
ORDER BY version;

CREATE TABLE IF NOT EXISTS events_rows_local ON CLUSTER 'main'
(
    project_id LowCardinality(String),
    dedupe_day Date,
    message_id String CODEC(ZSTD(1)),
    timestamp DateTime64(3, 'UTC') CODEC(T64, ZSTD(1)),
    day Date DEFAULT toDate(timestamp) CODEC(ZSTD(1)),
    first UInt64 CODEC(T64, ZSTD(1)),
    visitor UInt64 CODEC(ZSTD(3)) SETTINGS (min_compress_block_size = 1048576, max_compress_block_size = 1048576),
    session UInt64 CODEC(ZSTD(3)) SETTINGS (min_compress_block_size = 1048576, max_compress_block_size = 1048576),
    dedupe_key UInt64 CODEC(ZSTD(1)),
    original_after_ms Int64 CODEC(T64, ZSTD(1)),
    sent_after_ms Int64 CODEC(T64, ZSTD(1)),
    channel LowCardinality(String),
    type LowCardinality(String),
    event LowCardinality(String),
    version LowCardinality(String),
    anonymous_id String CODEC(ZSTD(3)) SETTINGS (min_compress_block_size = 1048576, max_compress_block_size = 1048576),
    user_id String CODEC(ZSTD(3)),
    address String CODEC(ZSTD(3)),
    address_spelt String CODEC(ZSTD(3)),
    session_id String CODEC(ZSTD(3)),
    origin LowCardinality(String),
    pathname String CODEC(ZSTD(1)),
    referrer LowCardinality(String),
    referrer_url String CODEC(ZSTD(1)),
    ref LowCardinality(String),
    utm_source LowCardinality(String),
    utm_medium LowCardinality(String),
    utm_campaign LowCardinality(String),
    utm_term LowCardinality(String),
    utm_content LowCardinality(String),
    device LowCardinality(String),
    browser LowCardinality(String),
    os LowCardinality(String),
    location LowCardinality(String),
    rdns LowCardinality(String),
    provider_name LowCardinality(String),
    chain_id LowCardinality(String),
    builder_codes LowCardinality(String),
    volume Float64 CODEC(ZSTD(1)),
    revenue Float64 CODEC(ZSTD(1)),
    points Float64 CODEC(ZSTD(1)),
    acquisition LowCardinality(String),
    has_touch UInt8 CODEC(ZSTD(1)),
    context String CODEC(ZSTD(3)),
    properties String CODEC(ZSTD(3)),
    extra String CODEC(ZSTD(3)),
    received_at DateTime64(3, 'UTC') ALIAS fromUnixTimestamp64Milli(toInt64(9007199254740991 - first), 'UTC'),
    minute DateTime64(3, 'UTC') ALIAS fromUnixTimestamp64Milli(toInt64(intDiv(9007199254740991 - first, 60000) * 60000), 'UTC'),
    INDEX by_minute minute TYPE minmax GRANULARITY 1,
    INDEX by_day day TYPE minmax GRANULARITY 1
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/events_rows_local', '{replica}', first)
PARTITION BY toYYYYMM(dedupe_day)
ORDER BY (project_id, dedupe_day, message_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS events_rows ON CLUSTER 'main' AS sextant.events_rows_local
ENGINE = Distributed('main', 'sextant', 'events_rows_local', cityHash64(project_id));

CREATE OR REPLACE VIEW events ON CLUSTER 'main' AS
SELECT
    project_id, day, timestamp, session, visitor, dedupe_day, dedupe_key, message_id, received_at, original_after_ms, sent_after_ms,
    channel, type, event, version, anonymous_id, user_id, address, address_spelt, session_id, origin, pathname, referrer, referrer_url, ref,
    utm_source, utm_medium, utm_campaign, utm_term, utm_content, device, browser, os, location, rdns, provider_name, chain_id, builder_codes,
    volume, revenue, points, acquisition, has_touch, context, properties, extra
FROM events_rows FINAL;

CREATE TABLE IF NOT EXISTS parked_rows_local ON CLUSTER 'main'
(
    project_id LowCardinality(String),
    received_at DateTime64(3, 'UTC'),
    id String,
    reason LowCardinality(String),
    details String,
    rules LowCardinality(String),
    country LowCardinality(String),
    message_id String,
    head String,
    raw_bytes UInt64,
    replayed UInt8 DEFAULT 0
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/parked_rows_local', '{replica}', replayed)
PARTITION BY toYYYYMM(received_at)
ORDER BY (project_id, received_at, id)
TTL toDateTime(received_at) + INTERVAL 31 DAY
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS parked_rows ON CLUSTER 'main' AS sextant.parked_rows_local
ENGINE = Distributed('main', 'sextant', 'parked_rows_local', cityHash64(project_id));

CREATE TABLE IF NOT EXISTS parked_pieces_local ON CLUSTER 'main'
(
    project_id LowCardinality(String),
    received_at DateTime64(3, 'UTC'),
    id String,
    nth UInt32,
    text String CODEC(ZSTD(3))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/parked_pieces_local', '{replica}')
PARTITION BY toYYYYMM(received_at)
ORDER BY (project_id, received_at, id, nth)
TTL toDateTime(received_at) + INTERVAL 31 DAY
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS parked_pieces ON CLUSTER 'main' AS sextant.parked_pieces_local
ENGINE = Distributed('main', 'sextant', 'parked_pieces_local', cityHash64(project_id));

CREATE OR REPLACE VIEW parked_events ON CLUSTER 'main' AS
SELECT project_id, received_at, id, reason, details, rules, country, message_id, head, raw_bytes
FROM parked_rows FINAL
WHERE replayed = 0;

CREATE OR REPLACE VIEW parked_raw ON CLUSTER 'main' AS
SELECT project_id, received_at, id, nth, text
FROM parked_pieces FINAL;

CREATE TABLE IF NOT EXISTS ledger_rows_local ON CLUSTER 'main'
(
    project_id LowCardinality(String),
    minute DateTime64(3, 'UTC'),
    outcome LowCardinality(String),
    reason LowCardinality(String),
    batch String,
    day Date,
    events Int64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/ledger_rows_local', '{replica}')
PARTITION BY toYYYYMM(minute)
ORDER BY (project_id, minute, outcome, reason, batch, day)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS ledger_rows ON CLUSTER 'main' AS sextant.ledger_rows_local
ENGINE = Distributed('main', 'sextant', 'ledger_rows_local', cityHash64(project_id));

CREATE OR REPLACE VIEW ledger ON CLUSTER 'main' AS
SELECT project_id, minute, toString(outcome) AS outcome, toString(reason) AS reason, day, events
FROM ledger_rows FINAL
WHERE outcome != 'written'
UNION ALL
SELECT project_id, minute, became.1 AS outcome, '' AS reason, day, became.2 AS events
FROM
(
    SELECT project_id, minute, day, sum(written_1) AS written, sum(kept_1) AS kept
    FROM
    (
        SELECT project_id, minute, day, events AS written_1, toInt64(0) AS kept_1
        FROM ledger_rows FINAL
        WHERE outcome = 'written'
        UNION ALL
        SELECT project_id, minute, day, toInt64(0) AS written_1, toInt64(1) AS kept_1
        FROM events_rows FINAL
    )
    GROUP BY project_id, minute, day
)
ARRAY JOIN [('stored', kept), ('duplicate', greatest(written - kept, 0))] AS became
WHERE events != 0;

CREATE TABLE IF NOT EXISTS dirty_partitions_local ON CLUSTER 'main'
(
    project_id LowCardinality(String),
    day Date,
    dedupe_day Date,
    dirty_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/dirty_partitions_local', '{replica}', dirty_at)
ORDER BY (project_id, day, dedupe_day)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS dirty_partitions ON CLUSTER 'main' AS sextant.dirty_partitions_local
ENGINE = Distributed('main', 'sextant', 'dirty_partitions_local', cityHash64(project_id));

CREATE TABLE IF NOT EXISTS revisions_local ON CLUSTER 'main'
(
    project_id LowCardinality(String),
    day Date,
    revision UInt64,
    started_at DateTime64(3, 'UTC'),
    depends_on UInt64
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/revisions_local', '{replica}')
ORDER BY (project_id, day)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS revisions ON CLUSTER 'main' AS sextant.revisions_local
ENGINE = Distributed('main', 'sextant', 'revisions_local', cityHash64(project_id));

CREATE TABLE IF NOT EXISTS session_rows_local ON CLUSTER 'main'
(
    project_id LowCardinality(String),
    day Date,
    revision UInt64 CODEC(ZSTD(1)),
    session UInt64 CODEC(ZSTD(1)),
    visitor UInt64 CODEC(ZSTD(1)),
    is_first UInt8 CODEC(ZSTD(1)),
    started_at DateTime64(3, 'UTC') CODEC(T64, ZSTD(1)),
    ended_at DateTime64(3, 'UTC') CODEC(T64, ZSTD(1)),
    hits UInt32 CODEC(T64, ZSTD(1)),
    events UInt32 CODEC(T64, ZSTD(1)),
    is_bounce UInt8 CODEC(ZSTD(1)),
    entry_page String CODEC(ZSTD(1)),
    exit_page String CODEC(ZSTD(1)),
    address String CODEC(ZSTD(1)),
    chains Array(String) CODEC(ZSTD(1)),
    revenue Int128 CODEC(ZSTD(1)),
    volume Int128 CODEC(ZSTD(1)),
    points Int128 CODEC(ZSTD(1)),
    referrer LowCardinality(String),
    referrer_url String CODEC(ZSTD(1)),
    ref LowCardinality(String),
    utm_source LowCardinality(String),
    utm_medium LowCardinality(String),
    utm_campaign LowCardinality(String),
    utm_term LowCardinality(String),
    utm_content LowCardinality(String),
    channel LowCardinality(String),
    origin LowCardinality(String),
    pathname String CODEC(ZSTD(1)),
    builder_codes LowCardinality(String),
    device LowCardinality(String),
    browser LowCardinality(String),
    os LowCardinality(String),
    location LowCardinality(String),
    rdns LowCardinality(String),
    provider_name LowCardinality(String),
    chain_id LowCardinality(String)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/session_rows_local', '{replica}')
PARTITION BY toYYYYMM(day)
ORDER BY (project_id, day, referrer, utm_source, device);

CREATE TABLE IF NOT EXISTS session_rows ON CLUSTER 'main' AS sextant.session_rows_local
ENGINE = Distributed('main', 'sextant', 'session_rows_local', cityHash64(project_id));

CREATE TABLE IF NOT EXISTS rollup_rows_local ON CLUSTER 'main'
(
    project_id LowCardinality(String),
    dimension LowCardinality(String),
    value String CODEC(ZSTD(1)),
    day Date,
    revision UInt64 CODEC(ZSTD(1)),
    seen_before Date CODEC(ZSTD(1)),
    hits Int64 CODEC(T64, ZSTD(1)),
    sessions Int64 CODEC(T64, ZSTD(1)),
    visitors Int64 CODEC(T64, ZSTD(1)),
    revenue Int128 CODEC(ZSTD(1))
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/rollup_rows_local', '{replica}')
PARTITION BY toYYYYMM(day)
ORDER BY (project_id, dimension, day, value)
SETTINGS index_granularity = 1024;

CREATE TABLE IF NOT EXISTS rollup_rows ON CLUSTER 'main' AS sextant.rollup_rows_local
ENGINE = Distributed('main', 'sextant', 'rollup_rows_local', cityHash64(project_id));

ALTER TABLE events_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS paid_source LowCardinality(String);

ALTER TABLE events_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS paid_source LowCardinality(String);

CREATE OR REPLACE VIEW events ON CLUSTER 'main' AS
SELECT
    project_id, day, timestamp, session, visitor, dedupe_day, dedupe_key, message_id, received_at, original_after_ms, sent_after_ms,
    channel, type, event, version, anonymous_id, user_id, address, address_spelt, session_id, origin, pathname, referrer, referrer_url, ref,
    utm_source, utm_medium, utm_campaign, utm_term, utm_content, device, browser, os, location, rdns, provider_name, chain_id, builder_codes,
    volume, revenue, points, acquisition, has_touch, context, properties, extra, paid_source
FROM events_rows FINAL;

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS active_ms UInt32 CODEC(T64, ZSTD(1));

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS active_ms UInt32 CODEC(T64, ZSTD(1));

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS entry_origin LowCardinality(String);

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS entry_origin LowCardinality(String);

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS exit_origin LowCardinality(String);

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS exit_origin LowCardinality(String);

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS transactions UInt32 CODEC(T64, ZSTD(1));

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS transactions UInt32 CODEC(T64, ZSTD(1));

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS signatures UInt32 CODEC(T64, ZSTD(1));

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS signatures UInt32 CODEC(T64, ZSTD(1));

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS connects UInt32 CODEC(T64, ZSTD(1));

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS connects UInt32 CODEC(T64, ZSTD(1));

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS rdns_names Array(String) CODEC(ZSTD(1));

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS rdns_names Array(String) CODEC(ZSTD(1));

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS addresses Array(String) CODEC(ZSTD(1));

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS addresses Array(String) CODEC(ZSTD(1));

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS pages Array(String) CODEC(ZSTD(1));

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS pages Array(String) CODEC(ZSTD(1));

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS paid_source LowCardinality(String);

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS paid_source LowCardinality(String);

ALTER TABLE rollup_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS volume Int128 CODEC(ZSTD(1));

ALTER TABLE rollup_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS volume Int128 CODEC(ZSTD(1));

ALTER TABLE rollup_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS bounces Int64 CODEC(T64, ZSTD(1));

ALTER TABLE rollup_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS bounces Int64 CODEC(T64, ZSTD(1));

ALTER TABLE rollup_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS active_ms Int64 CODEC(T64, ZSTD(1));

ALTER TABLE rollup_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS active_ms Int64 CODEC(T64, ZSTD(1));

ALTER TABLE rollup_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS transactions Int64 CODEC(T64, ZSTD(1));

ALTER TABLE rollup_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS transactions Int64 CODEC(T64, ZSTD(1));

ALTER TABLE rollup_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS events Int64 CODEC(T64, ZSTD(1));

ALTER TABLE rollup_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS events Int64 CODEC(T64, ZSTD(1));

ALTER TABLE revisions_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS layout UInt16;

ALTER TABLE revisions ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS layout UInt16;

ALTER TABLE events_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS status LowCardinality(String)
    DEFAULT if(type IN ('signature', 'transaction'), JSONExtractString(properties, 'status'), '');

ALTER TABLE events_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS status LowCardinality(String)
    DEFAULT if(type IN ('signature', 'transaction'), JSONExtractString(properties, 'status'), '');

CREATE OR REPLACE VIEW events ON CLUSTER 'main' AS
SELECT
    project_id, day, timestamp, session, visitor, dedupe_day, dedupe_key, message_id, received_at, original_after_ms, sent_after_ms,
    channel, type, event, version, anonymous_id, user_id, address, address_spelt, session_id, origin, pathname, referrer, referrer_url, ref,
    utm_source, utm_medium, utm_campaign, utm_term, utm_content, device, browser, os, location, rdns, provider_name, chain_id, builder_codes,
    volume, revenue, points, acquisition, has_touch, context, properties, extra, paid_source, status
FROM events_rows FINAL;

ALTER TABLE revisions_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS without_bots UInt8;

ALTER TABLE revisions ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS without_bots UInt8;

ALTER TABLE events_rows_local ON CLUSTER 'main' MODIFY COLUMN status LowCardinality(String)
    DEFAULT if(type IN ('signature', 'transaction'), if(isValidJSON(properties), JSONExtractString(properties, 'status'), replaceRegexpAll(JSONExtractString(replaceRegexpAll(replaceRegexpAll(properties, '(-?[0-9]+(?:[.][0-9]+)?[eE][+]?0*(?:[1-9][0-9]{3,}|[3-9][0-9]{2})|-?[0-9]{300,}[.][0-9]+)|("(?:[^"\\\\]|\\\\.)*"|-?[0-9]+(?:[.][0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+))|(-?[0-9]{19,})|(-?[0-9]+)', '\\2\\4"\xEE\x80\x80\\1\\3"'), '("(?:[^"\\\\]|\\\\.)*"|-?[0-9][0-9.eE+-]*)(?:"\xEE\x80\x80")?', '\\1'), 'status'), '"?\xEE\x80\x80(-?[0-9][0-9.eE+-]*)"?', '\\1')), '');

ALTER TABLE events_rows ON CLUSTER 'main' MODIFY COLUMN status LowCardinality(String)
    DEFAULT if(type IN ('signature', 'transaction'), if(isValidJSON(properties), JSONExtractString(properties, 'status'), replaceRegexpAll(JSONExtractString(replaceRegexpAll(replaceRegexpAll(properties, '(-?[0-9]+(?:[.][0-9]+)?[eE][+]?0*(?:[1-9][0-9]{3,}|[3-9][0-9]{2})|-?[0-9]{300,}[.][0-9]+)|("(?:[^"\\\\]|\\\\.)*"|-?[0-9]+(?:[.][0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+))|(-?[0-9]{19,})|(-?[0-9]+)', '\\2\\4"\xEE\x80\x80\\1\\3"'), '("(?:[^"\\\\]|\\\\.)*"|-?[0-9][0-9.eE+-]*)(?:"\xEE\x80\x80")?', '\\1'), 'status'), '"?\xEE\x80\x80(-?[0-9][0-9.eE+-]*)"?', '\\1')), '');

CREATE TABLE IF NOT EXISTS profile_day_rows_local ON CLUSTER 'main'
(
    project_id LowCardinality(String),
    day Date,
    revision UInt64 CODEC(ZSTD(1)),
    address String CODEC(ZSTD(1)),
    first_ms Int64 CODEC(T64, ZSTD(1)),
    last_ms Int64 CODEC(T64, ZSTD(1)),
    sessions Int64 CODEC(T64, ZSTD(1)),
    events Int64 CODEC(T64, ZSTD(1)),
    transactions Int64 CODEC(T64, ZSTD(1)),
    signatures Int64 CODEC(T64, ZSTD(1)),
    revenue Int128 CODEC(ZSTD(1)),
    volume Int128 CODEC(ZSTD(1)),
    points Int128 CODEC(ZSTD(1)),
    chains Array(String) CODEC(ZSTD(1)),
    client_rank UInt64 CODEC(ZSTD(1)),
    device LowCardinality(String),
    browser LowCardinality(String),
    os LowCardinality(String),
    location_rank UInt64 CODEC(ZSTD(1)),
    location LowCardinality(String),
    user_rank UInt64 CODEC(ZSTD(1)),
    user_id String CODEC(ZSTD(1)),
    last_rank UInt64 CODEC(ZSTD(1)),
    last_type LowCardinality(String),
    last_event LowCardinality(String),
    last_properties String CODEC(ZSTD(3))
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/profile_day_rows_local', '{replica}')
PARTITION BY toYYYYMM(day)
ORDER BY (project_id, address, day);

CREATE TABLE IF NOT EXISTS profile_day_rows ON CLUSTER 'main' AS sextant.profile_day_rows_local
ENGINE = Distributed('main', 'sextant', 'profile_day_rows_local', cityHash64(project_id));

CREATE TABLE IF NOT EXISTS profile_touch_rows_local ON CLUSTER 'main'
(
    project_id LowCardinality(String),
    day Date,
    revision UInt64 CODEC(ZSTD(1)),
    address String CODEC(ZSTD(1)),
    seen_day Date CODEC(ZSTD(1)),
    touch_rank UInt64 CODEC(ZSTD(1)),
    has_signal UInt8 CODEC(ZSTD(1)),
    referrer LowCardinality(String),
    referrer_url String CODEC(ZSTD(1)),
    ref LowCardinality(String),
    utm_source LowCardinality(String),
    utm_medium LowCardinality(String),
    utm_campaign LowCardinality(String),
    utm_term LowCardinality(String),
    utm_content LowCardinality(String),
    channel LowCardinality(String),
    paid_source LowCardinality(String)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/profile_touch_rows_local', '{replica}')
PARTITION BY toYYYYMM(day)
ORDER BY (project_id, address, day);

CREATE TABLE IF NOT EXISTS profile_touch_rows ON CLUSTER 'main' AS sextant.profile_touch_rows_local
ENGINE = Distributed('main', 'sextant', 'profile_touch_rows_local', cityHash64(project_id));

CREATE TABLE IF NOT EXISTS wallet_property_rows_local ON CLUSTER 'main'
(
    project_id LowCardinality(String),
    address String CODEC(ZSTD(1)),
    name LowCardinality(String),
    value String CODEC(ZSTD(1)),
    is_deleted UInt8,
    changed_ms UInt64 CODEC(T64, ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/wallet_property_rows_local', '{replica}', changed_ms)
ORDER BY (project_id, address, name)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS wallet_property_rows ON CLUSTER 'main' AS sextant.wallet_property_rows_local
ENGINE = Distributed('main', 'sextant', 'wallet_property_rows_local', cityHash64(project_id));

CREATE OR REPLACE VIEW wallet_properties ON CLUSTER 'main' AS
SELECT project_id, address, name, value, is_deleted, changed_ms
FROM wallet_property_rows FINAL;

CREATE TABLE IF NOT EXISTS wallet_label_rows_local ON CLUSTER 'main'
(
    project_id LowCardinality(String),
    address String CODEC(ZSTD(1)),
    tag_id LowCardinality(String),
    chain_id LowCardinality(String),
    value String CODEC(ZSTD(1)),
    source LowCardinality(String),
    is_deleted UInt8,
    changed_ms UInt64 CODEC(T64, ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/wallet_label_rows_local', '{replica}', changed_ms)
ORDER BY (project_id, address, tag_id, chain_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS wallet_label_rows ON CLUSTER 'main' AS sextant.wallet_label_rows_local
ENGINE = Distributed('main', 'sextant', 'wallet_label_rows_local', cityHash64(project_id));

CREATE OR REPLACE VIEW wallet_labels ON CLUSTER 'main' AS
SELECT project_id, address, tag_id, chain_id, value, source, is_deleted, changed_ms
FROM wallet_label_rows FINAL;

CREATE TABLE IF NOT EXISTS imported_day_rows_local ON CLUSTER 'main'
(
    project_id LowCardinality(String),
    import_id LowCardinality(String),
    dimension LowCardinality(String),
    day Date,
    value String CODEC(ZSTD(1)),
    detail String CODEC(ZSTD(1)),
    visitors Int64 CODEC(T64, ZSTD(1)),
    visits Int64 CODEC(T64, ZSTD(1)),
    pageviews Int64 CODEC(T64, ZSTD(1)),
    bounces Int64 CODEC(T64, ZSTD(1)),
    duration_ms Int64 CODEC(T64, ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/imported_day_rows_local', '{replica}')
ORDER BY (project_id, import_id, dimension, day, value, detail)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS imported_day_rows ON CLUSTER 'main' AS sextant.imported_day_rows_local
ENGINE = Distributed('main', 'sextant', 'imported_day_rows_local', cityHash64(project_id));

CREATE OR REPLACE VIEW imported_days ON CLUSTER 'main' AS
SELECT project_id, import_id, dimension, day, value, detail, visitors, visits, pageviews, bounces, duration_ms
FROM imported_day_rows FINAL;

ALTER TABLE events_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS click_id String CODEC(ZSTD(1));

ALTER TABLE events_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS click_id String CODEC(ZSTD(1));

CREATE OR REPLACE VIEW events ON CLUSTER 'main' AS
SELECT
    project_id, day, timestamp, session, visitor, dedupe_day, dedupe_key, message_id, received_at, original_after_ms, sent_after_ms,
    channel, type, event, version, anonymous_id, user_id, address, address_spelt, session_id, origin, pathname, referrer, referrer_url, ref,
    utm_source, utm_medium, utm_campaign, utm_term, utm_content, device, browser, os, location, rdns, provider_name, chain_id, builder_codes,
    volume, revenue, points, acquisition, has_touch, context, properties, extra, paid_source, status, click_id
FROM events_rows FINAL;

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS click_id String CODEC(ZSTD(1));

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS click_id String CODEC(ZSTD(1));

ALTER TABLE profile_touch_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS click_id String CODEC(ZSTD(1));

ALTER TABLE profile_touch_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS click_id String CODEC(ZSTD(1));

-- `sextant rebuild` (statements of the schema by their first lines):

--   CREATE TABLE IF NOT EXISTS dirty_partitions_local ON CLUSTER 'main'

--   CREATE TABLE IF NOT EXISTS dirty_partitions ON CLUSTER 'main' AS sextant.dirty_partitions_local

--   CREATE TABLE IF NOT EXISTS revisions_local ON CLUSTER 'main'

--   CREATE TABLE IF NOT EXISTS revisions ON CLUSTER 'main' AS sextant.revisions_local

--   CREATE TABLE IF NOT EXISTS session_rows_local ON CLUSTER 'main'

--   CREATE TABLE IF NOT EXISTS session_rows ON CLUSTER 'main' AS sextant.session_rows_local

--   CREATE TABLE IF NOT EXISTS rollup_rows_local ON CLUSTER 'main'

--   CREATE TABLE IF NOT EXISTS rollup_rows ON CLUSTER 'main' AS sextant.rollup_rows_local

ALTER TABLE events_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS paid_source LowCardinality(String);

ALTER TABLE events_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS paid_source LowCardinality(String);

--   CREATE OR REPLACE VIEW events ON CLUSTER 'main' AS

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS active_ms UInt32 CODEC(T64, ZSTD(1));

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS active_ms UInt32 CODEC(T64, ZSTD(1));

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS entry_origin LowCardinality(String);

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS entry_origin LowCardinality(String);

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS exit_origin LowCardinality(String);

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS exit_origin LowCardinality(String);

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS transactions UInt32 CODEC(T64, ZSTD(1));

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS transactions UInt32 CODEC(T64, ZSTD(1));

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS signatures UInt32 CODEC(T64, ZSTD(1));

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS signatures UInt32 CODEC(T64, ZSTD(1));

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS connects UInt32 CODEC(T64, ZSTD(1));

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS connects UInt32 CODEC(T64, ZSTD(1));

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS rdns_names Array(String) CODEC(ZSTD(1));

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS rdns_names Array(String) CODEC(ZSTD(1));

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS addresses Array(String) CODEC(ZSTD(1));

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS addresses Array(String) CODEC(ZSTD(1));

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS pages Array(String) CODEC(ZSTD(1));

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS pages Array(String) CODEC(ZSTD(1));

ALTER TABLE session_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS paid_source LowCardinality(String);

ALTER TABLE session_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS paid_source LowCardinality(String);

ALTER TABLE rollup_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS volume Int128 CODEC(ZSTD(1));

ALTER TABLE rollup_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS volume Int128 CODEC(ZSTD(1));

ALTER TABLE rollup_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS bounces Int64 CODEC(T64, ZSTD(1));

ALTER TABLE rollup_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS bounces Int64 CODEC(T64, ZSTD(1));

ALTER TABLE rollup_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS active_ms Int64 CODEC(T64, ZSTD(1));

ALTER TABLE rollup_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS active_ms Int64 CODEC(T64, ZSTD(1));

ALTER TABLE rollup_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS transactions Int64 CODEC(T64, ZSTD(1));

ALTER TABLE rollup_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS transactions Int64 CODEC(T64, ZSTD(1));

ALTER TABLE rollup_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS events Int64 CODEC(T64, ZSTD(1));

ALTER TABLE rollup_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS events Int64 CODEC(T64, ZSTD(1));

ALTER TABLE revisions_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS layout UInt16;

ALTER TABLE revisions ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS layout UInt16;

ALTER TABLE events_rows_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS status LowCardinality(String)
    DEFAULT if(type IN ('signature', 'transaction'), JSONExtractString(properties, 'status'), '');

ALTER TABLE events_rows ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS status LowCardinality(String)
    DEFAULT if(type IN ('signature', 'transaction'), JSONExtractString(properties, 'status'), '');

--   CREATE OR REPLACE VIEW events ON CLUSTER 'main' AS

--   CREATE TABLE IF NOT EXISTS profile_day_rows_local ON CLUSTER 'main'

--   CREATE TABLE IF NOT EXISTS profile_day_rows ON CLUSTER 'main' AS sextant.profile_day_rows_local

--   CREATE TABLE IF NOT EXISTS profile_touch_rows_local ON CLUSTER 'main'

--   CREATE TABLE IF NOT EXISTS profile_touch_rows ON CLUSTER 'main' AS sextant.profile_touch_rows_local

INSERT INTO dirty_partitions (project_id, day, dedupe_day, dirty_at)
SELECT DISTINCT project_id, day, dedupe_day, toDateTime64(0, 3, 'UTC') FROM events_rows;

TRUNCATE TABLE revisions_local ON CLUSTER 'main';

-- Garbage collection:

DELETE FROM session_rows_local ON CLUSTER 'main'
WHERE (project_id, day, revision) IN {garbage:Array(Tuple(String, Date, UInt64))};

DELETE FROM rollup_rows_local ON CLUSTER 'main'
WHERE (project_id, day, revision) IN {garbage:Array(Tuple(String, Date, UInt64))};

DELETE FROM profile_day_rows_local ON CLUSTER 'main'
WHERE (project_id, day, revision) IN {garbage:Array(Tuple(String, Date, UInt64))};

DELETE FROM profile_touch_rows_local ON CLUSTER 'main'
WHERE (project_id, day, revision) IN {garbage:Array(Tuple(String, Date, UInt64))};

DELETE FROM revisions_local ON CLUSTER 'main'
WHERE (project_id, day, revision) IN {garbage:Array(Tuple(String, Date, UInt64))};

-- Retention, with mutations_sync = 2:

ALTER TABLE events_rows_local ON CLUSTER 'main' DELETE WHERE project_id IN {projects:Array(String)}
    AND day < {before:Date}
    AND day < transform(toString(project_id), {projects:Array(String)}, {first_days:Array(Date)}, toDate(0)) AND toYYYYMM(dedupe_day) IN {months:Array(UInt32)};

ALTER TABLE session_rows_local ON CLUSTER 'main' DELETE WHERE project_id IN {projects:Array(String)}
    AND day < {before:Date}
    AND day < transform(toString(project_id), {projects:Array(String)}, {first_days:Array(Date)}, toDate(0)) AND toYYYYMM(day) IN {months:Array(UInt32)};

ALTER TABLE rollup_rows_local ON CLUSTER 'main' DELETE WHERE project_id IN {projects:Array(String)}
    AND day < {before:Date}
    AND day < transform(toString(project_id), {projects:Array(String)}, {first_days:Array(Date)}, toDate(0)) AND toYYYYMM(day) IN {months:Array(UInt32)};

ALTER TABLE profile_day_rows_local ON CLUSTER 'main' DELETE WHERE project_id IN {projects:Array(String)}
    AND day < {before:Date}
    AND day < transform(toString(project_id), {projects:Array(String)}, {first_days:Array(Date)}, toDate(0)) AND toYYYYMM(day) IN {months:Array(UInt32)};

ALTER TABLE profile_touch_rows_local ON CLUSTER 'main' DELETE WHERE project_id IN {projects:Array(String)}
    AND seen_day < {before:Date}
    AND seen_day < transform(toString(project_id), {projects:Array(String)}, {first_days:Array(Date)}, toDate(0)) AND toYYYYMM(day) IN {months:Array(UInt32)};

ALTER TABLE ledger_rows_local ON CLUSTER 'main' DELETE WHERE project_id IN {projects:Array(String)}
    AND day < {before:Date}
    AND day < transform(toString(project_id), {projects:Array(String)}, {first_days:Array(Date)}, toDate(0));

ALTER TABLE parked_rows_local ON CLUSTER 'main' DELETE WHERE project_id IN {projects:Array(String)}
    AND toDate(received_at) < {before:Date}
    AND toDate(received_at) < transform(toString(project_id), {projects:Array(String)}, {first_days:Array(Date)}, toDate(0));

ALTER TABLE parked_pieces_local ON CLUSTER 'main' DELETE WHERE project_id IN {projects:Array(String)}
    AND toDate(received_at) < {before:Date}
    AND toDate(received_at) < transform(toString(project_id), {projects:Array(String)}, {first_days:Array(Date)}, toDate(0));

ALTER TABLE dirty_partitions_local ON CLUSTER 'main' DELETE WHERE project_id IN {projects:Array(String)}
    AND day < {before:Date}
    AND day < transform(toString(project_id), {projects:Array(String)}, {first_days:Array(Date)}, toDate(0)) AND dirty_at < fromUnixTimestamp64Milli({settled_ms:Int64}, 'UTC') AND day < {today:Date};

ALTER TABLE parked_pieces_local ON CLUSTER 'main' DELETE WHERE toDate(received_at) < {before:Date};

ALTER TABLE parked_rows_local ON CLUSTER 'main' DELETE WHERE toDate(received_at) < {before:Date};
