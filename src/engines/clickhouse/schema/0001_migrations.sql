-- Which of these files have been applied, by whom it does not matter: two nodes that start at once may both write a row,
-- and ClickHouse keeps one per version.
CREATE TABLE IF NOT EXISTS schema_migrations
(
    version UInt32,
    name String,
    checksum String,
    applied_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplacingMergeTree
ORDER BY version;
