-- Sums of days that another product counted. They are no events: each is a number of visits of one value of one
-- dimension on one day. The primary key makes a row that is written again, after a kill or from a backup, the same row.
CREATE TABLE imported_days
(
    project_id VARCHAR NOT NULL,
    import_id VARCHAR NOT NULL,
    dimension VARCHAR NOT NULL,
    day DATE NOT NULL,
    value VARCHAR NOT NULL,
    detail VARCHAR NOT NULL,
    visitors BIGINT NOT NULL,
    visits BIGINT NOT NULL,
    pageviews BIGINT NOT NULL,
    bounces BIGINT NOT NULL,
    duration_ms BIGINT NOT NULL,
    PRIMARY KEY (project_id, import_id, dimension, day, value, detail)
);
