-- Every accepted event, one row each. The key is what makes a repeat collapse: a message_id counts once per project and day of
-- the client's own time, however often it is sent. `first` keeps the copy that arrived first.
CREATE TABLE IF NOT EXISTS events
(
    project_id LowCardinality(String),
    day Date,
    message_id String CODEC(ZSTD(1)),
    timestamp DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    original_timestamp DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    sent_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    channel LowCardinality(String),
    type LowCardinality(String),
    event LowCardinality(String),
    version LowCardinality(String),
    anonymous_id String CODEC(ZSTD(1)),
    user_id String CODEC(ZSTD(1)),
    address String CODEC(ZSTD(1)),
    address_raw String CODEC(ZSTD(1)),
    visitor String CODEC(ZSTD(1)),
    session_id String CODEC(ZSTD(1)),
    session_key String CODEC(ZSTD(1)),
    origin LowCardinality(String),
    pathname String CODEC(ZSTD(1)),
    page_url String CODEC(ZSTD(1)),
    page_title String CODEC(ZSTD(1)),
    page_query String CODEC(ZSTD(1)),
    page_hash String CODEC(ZSTD(1)),
    referrer LowCardinality(String),
    referrer_url String CODEC(ZSTD(1)),
    ref LowCardinality(String),
    utm_source LowCardinality(String),
    utm_medium LowCardinality(String),
    utm_campaign LowCardinality(String),
    utm_term LowCardinality(String),
    utm_content LowCardinality(String),
    gclid String CODEC(ZSTD(1)),
    gad_source String CODEC(ZSTD(1)),
    fbclid String CODEC(ZSTD(1)),
    msclkid String CODEC(ZSTD(1)),
    ttclid String CODEC(ZSTD(1)),
    twclid String CODEC(ZSTD(1)),
    li_fat_id String CODEC(ZSTD(1)),
    rdt_cid String CODEC(ZSTD(1)),
    device LowCardinality(String),
    browser LowCardinality(String),
    os LowCardinality(String),
    location LowCardinality(String),
    locale LowCardinality(String),
    timezone LowCardinality(String),
    user_agent LowCardinality(String),
    library_name LowCardinality(String),
    library_version LowCardinality(String),
    rdns LowCardinality(String),
    provider_name LowCardinality(String),
    chain_id LowCardinality(String),
    builder_codes LowCardinality(String),
    volume Float64,
    revenue Float64,
    points Float64,
    acquisition LowCardinality(String),
    has_touch UInt8,
    is_bot UInt8,
    context String CODEC(ZSTD(3)),
    properties String CODEC(ZSTD(3)),
    extra String CODEC(ZSTD(3)),
    first UInt64 DEFAULT 9223372036854775807 - toUInt64(toUnixTimestamp64Milli(received_at)) CODEC(Delta, ZSTD(1))
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
-- them, so a batch that is repeated after a crash counts once. A replayed event moves by a negative row.
CREATE TABLE IF NOT EXISTS ledger
(
    project_id LowCardinality(String),
    minute DateTime('UTC'),
    outcome LowCardinality(String),
    reason LowCardinality(String),
    batch String,
    events Int64
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(minute)
ORDER BY (project_id, minute, outcome, reason, batch)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
