-- Every accepted event. Copies collapse by the key: a message_id counts once per project and day of the client's own
-- time (dedupe_day). `first` is the dedupe version: 2^53 - 1 minus the time of receipt, so that the earliest copy has
-- the highest version and is kept. `day` is the UTC day of `timestamp`, the day of the report partition. `context`,
-- `properties` and `extra` hold the event as it was sent. Visitor columns are compressed in blocks of 1 MiB, in which
-- visitors repeat: an event of 1 KB takes 97 bytes, against 103 with the default block size.
CREATE TABLE IF NOT EXISTS events_rows
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
ENGINE = ReplacingMergeTree(first)
PARTITION BY toYYYYMM(dedupe_day)
ORDER BY (project_id, dedupe_day, message_id)
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1;

-- Each message once, with the same columns as on DuckDB.
CREATE OR REPLACE VIEW events AS
SELECT
    project_id, day, timestamp, session, visitor, dedupe_day, dedupe_key, message_id, received_at, original_after_ms, sent_after_ms,
    channel, type, event, version, anonymous_id, user_id, address, address_spelt, session_id, origin, pathname, referrer, referrer_url, ref,
    utm_source, utm_medium, utm_campaign, utm_term, utm_content, device, browser, os, location, rdns, provider_name, chain_id, builder_codes,
    volume, revenue, points, acquisition, has_touch, context, properties, extra
FROM events_rows FINAL;

-- Parked events with their reason, to be read and replayed. Kept 30 days. `head` is the beginning of the sent text.
CREATE TABLE IF NOT EXISTS parked_rows
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
ENGINE = ReplacingMergeTree(replayed)
PARTITION BY toYYYYMM(received_at)
ORDER BY (project_id, received_at, id)
TTL toDateTime(received_at) + INTERVAL 31 DAY
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- The complete sent text, in pieces: it may have 10 MB, and ClickHouse reads thousands of rows at once.
CREATE TABLE IF NOT EXISTS parked_pieces
(
    project_id LowCardinality(String),
    received_at DateTime64(3, 'UTC'),
    id String,
    nth UInt32,
    text String CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(received_at)
ORDER BY (project_id, received_at, id, nth)
TTL toDateTime(received_at) + INTERVAL 31 DAY
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE OR REPLACE VIEW parked_events AS
SELECT project_id, received_at, id, reason, details, rules, country, message_id, head, raw_bytes
FROM parked_rows FINAL
WHERE replayed = 0;

CREATE OR REPLACE VIEW parked_raw AS
SELECT project_id, received_at, id, nth, text
FROM parked_pieces FINAL;

-- The ledger: the outcome of every received event, per project and minute of receipt: written, parked or refused. The
-- batch is part of the key, so that a batch repeated after a crash counts once. A replay moves an event by a negative
-- row. Written events are counted by their own day, so that retention removes the count together with the events:
-- otherwise a removed event would count as a duplicate.
CREATE TABLE IF NOT EXISTS ledger_rows
(
    project_id LowCardinality(String),
    minute DateTime64(3, 'UTC'),
    outcome LowCardinality(String),
    reason LowCardinality(String),
    batch String,
    day Date,
    events Int64
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(minute)
ORDER BY (project_id, minute, outcome, reason, batch, day)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- events_rows keeps one copy of each written event, under the minute of the first; the others are duplicates. The
-- events of a batch are stored shortly before its ledger rows: meanwhile more are stored than written, and the number
-- of duplicates is 0.
CREATE OR REPLACE VIEW ledger AS
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
