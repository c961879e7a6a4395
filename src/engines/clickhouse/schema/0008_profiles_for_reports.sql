-- Profiles of wallets. The meaning of the columns is the same as on DuckDB (schema/ there), which keeps their merge as
-- well: here a wallet's rows lie together, and are merged when they are read.
CREATE TABLE IF NOT EXISTS profile_day_rows
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
ENGINE = MergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (project_id, address, day);

CREATE TABLE IF NOT EXISTS profile_touch_rows
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
ENGINE = MergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (project_id, address, day);
