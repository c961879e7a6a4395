-- Every accepted event, one row each. The key is what makes a repeat collapse: a message_id counts once per project and day of
-- the client's own time, however often it is sent. `first` keeps the copy that arrived first.
-- Only what reports read has a column; `context`, `properties` and `extra` hold the event as it came, and the aliases at the end
-- read from them or from the other times. Who came is compressed in pieces of 1 MiB, in which the same visitors come again: an event of
-- 1 KB takes 97 bytes, 103 with the engine's smaller pieces.
CREATE TABLE IF NOT EXISTS events
(
    project_id LowCardinality(String),
    day Date,
    message_id String CODEC(ZSTD(1)),
    timestamp DateTime64(3, 'UTC') CODEC(T64, ZSTD(1)),
    first UInt64 CODEC(T64, ZSTD(1)),
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
    visitor UInt64 DEFAULT cityHash64(multiIf(anonymous_id != '', anonymous_id, user_id != '', user_id, address)) CODEC(ZSTD(3)) SETTINGS (min_compress_block_size = 1048576, max_compress_block_size = 1048576),
    session UInt64 DEFAULT if(session_id != '', cityHash64(toDate(timestamp), session_id), cityHash64(toDate(timestamp), visitor)) CODEC(ZSTD(3)) SETTINGS (min_compress_block_size = 1048576, max_compress_block_size = 1048576),
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
    original_timestamp DateTime64(3, 'UTC') ALIAS fromUnixTimestamp64Milli(toUnixTimestamp64Milli(timestamp) + original_after_ms, 'UTC'),
    sent_at DateTime64(3, 'UTC') ALIAS fromUnixTimestamp64Milli(toUnixTimestamp64Milli(timestamp) + original_after_ms + sent_after_ms, 'UTC'),
    address_raw String ALIAS if(address_spelt = '', address, address_spelt),
    page_url String ALIAS JSONExtractString(context, 'page_url'),
    page_title String ALIAS JSONExtractString(context, 'page_title'),
    user_agent String ALIAS JSONExtractString(context, 'user_agent'),
    locale String ALIAS JSONExtractString(context, 'locale'),
    timezone String ALIAS JSONExtractString(context, 'timezone'),
    library_name String ALIAS JSONExtractString(context, 'library_name'),
    library_version String ALIAS JSONExtractString(context, 'library_version'),
    INDEX by_receipt first TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(first)
PARTITION BY toYYYYMM(day)
ORDER BY (project_id, day, message_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

-- Events that were not stored, with the reason and their own text, for a look and for another try. Kept 30 days.
CREATE TABLE IF NOT EXISTS parked_events
(
    project_id LowCardinality(String),
    received_at DateTime64(3, 'UTC'),
    id String,
    reason LowCardinality(String),
    details String,
    rules LowCardinality(String),
    country LowCardinality(String),
    message_id String,
    raw String CODEC(ZSTD(3)),
    replayed UInt8 DEFAULT 0
)
ENGINE = ReplacingMergeTree(replayed)
PARTITION BY toYYYYMM(received_at)
ORDER BY (project_id, received_at, id)
TTL toDateTime(received_at) + INTERVAL 30 DAY
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- What became of every event that was received, per project and minute of receipt. Rows are keyed by the batch that wrote
-- them, so a batch that is repeated after a crash counts once. A replayed event moves by a negative row. What was written is kept apart by the
-- day of its events, so that it goes when they go: an event that was old when it came would otherwise seem a duplicate once it is removed.
CREATE TABLE IF NOT EXISTS ledger
(
    project_id LowCardinality(String),
    minute DateTime('UTC'),
    outcome LowCardinality(String),
    reason LowCardinality(String),
    batch String,
    day Date DEFAULT toDate(minute),
    events Int64
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(minute)
ORDER BY (project_id, minute, outcome, reason, batch, day)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
