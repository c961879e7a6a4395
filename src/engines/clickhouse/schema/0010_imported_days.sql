-- Sums of days that another product counted. They are no events: each is a number of visits of one value of one
-- dimension on one day. A row that is written again, after a kill or from a backup, is the same row.
CREATE TABLE IF NOT EXISTS imported_day_rows
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
ENGINE = ReplacingMergeTree
ORDER BY (project_id, import_id, dimension, day, value, detail)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE OR REPLACE VIEW imported_days AS
SELECT project_id, import_id, dimension, day, value, detail, visitors, visits, pageviews, bounces, duration_ms
FROM imported_day_rows FINAL;
