-- A running day is rolled up beside the writer: only what comes of it is written in its queue. Before the first read a
-- transaction says how far it is to go, `rolling_to` for what was received and `rolling_hours_to` for hours. From then on
-- the rows of sessions that are to be rolled up are kept when they are replaced, as the rows of those that are. So
-- `replaced_sessions` has the time of receipt of each row: `rollups` has those up to `received_to` of their day. An event
-- that comes too late for what is being rolled up moves the hours back, or removes the row of its project. What is rolled
-- up of running days is made again.
DELETE FROM rollups WHERE (project_id, day) IN (SELECT project_id, day FROM running_days);

-- Not altered: DuckDB refuses a column that may not be NULL as long as rows are there that this transaction has deleted.
DROP TABLE replaced_sessions;
CREATE TABLE replaced_sessions
(
    project_id VARCHAR NOT NULL,
    day DATE NOT NULL,
    session UBIGINT NOT NULL,
    visitor UBIGINT NOT NULL,
    is_first BOOLEAN NOT NULL,
    started_at TIMESTAMP_MS NOT NULL,
    active_ms UINTEGER NOT NULL,
    is_bounce BOOLEAN NOT NULL,
    entry_origin VARCHAR NOT NULL,
    entry_page VARCHAR NOT NULL,
    exit_origin VARCHAR NOT NULL,
    exit_page VARCHAR NOT NULL,
    hits UINTEGER NOT NULL,
    events UINTEGER NOT NULL,
    transactions UINTEGER NOT NULL,
    chains VARCHAR[] NOT NULL,
    rdns_names VARCHAR[] NOT NULL,
    addresses VARCHAR[] NOT NULL,
    pages VARCHAR[] NOT NULL,
    revenue HUGEINT NOT NULL,
    volume HUGEINT NOT NULL,
    referrer VARCHAR NOT NULL,
    referrer_url VARCHAR NOT NULL,
    ref VARCHAR NOT NULL,
    utm_source VARCHAR NOT NULL,
    utm_medium VARCHAR NOT NULL,
    utm_campaign VARCHAR NOT NULL,
    utm_term VARCHAR NOT NULL,
    utm_content VARCHAR NOT NULL,
    channel VARCHAR NOT NULL,
    origin VARCHAR NOT NULL,
    device VARCHAR NOT NULL,
    browser VARCHAR NOT NULL,
    os VARCHAR NOT NULL,
    location VARCHAR NOT NULL,
    paid_source VARCHAR NOT NULL,
    received_to TIMESTAMP_MS NOT NULL
);

DROP TABLE running_days;
CREATE TABLE running_days
(
    project_id VARCHAR PRIMARY KEY,
    day DATE NOT NULL,
    received_to TIMESTAMP_MS NOT NULL,
    hours_to TIMESTAMP_MS NOT NULL,
    without_bots BOOLEAN NOT NULL,
    rolling_to TIMESTAMP_MS NOT NULL,
    rolling_hours_to TIMESTAMP_MS NOT NULL
);
