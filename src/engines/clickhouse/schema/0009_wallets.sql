-- What an app says about wallets, beside what their events say. Of each property of a wallet the row with the latest
-- `changed_ms` counts, whatever came last; `is_deleted` marks one that was unset, and stays so that an older value that
-- comes later does not return.
CREATE TABLE IF NOT EXISTS wallet_property_rows
(
    project_id LowCardinality(String),
    address String CODEC(ZSTD(1)),
    name LowCardinality(String),
    value String CODEC(ZSTD(1)),
    is_deleted UInt8,
    changed_ms UInt64 CODEC(T64, ZSTD(1))
)
ENGINE = ReplacingMergeTree(changed_ms)
ORDER BY (project_id, address, name)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE OR REPLACE VIEW wallet_properties AS
SELECT project_id, address, name, value, is_deleted, changed_ms
FROM wallet_property_rows FINAL;

-- The same for labels: a label is a wallet, a tag and a chain ('': none).
CREATE TABLE IF NOT EXISTS wallet_label_rows
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
ENGINE = ReplacingMergeTree(changed_ms)
ORDER BY (project_id, address, tag_id, chain_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE OR REPLACE VIEW wallet_labels AS
SELECT project_id, address, tag_id, chain_id, value, source, is_deleted, changed_ms
FROM wallet_label_rows FINAL;
