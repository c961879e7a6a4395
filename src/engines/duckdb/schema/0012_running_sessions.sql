-- Sessions of a running day are rolled up as its events are. `received_to` of a session is when its last event was
-- received: `rollups` has the sessions of a running day for which it is not after `received_to` of that day, as they are.
-- A session that goes on afterwards is replaced, and the rows that it had when it was rolled up are `replaced_sessions`:
-- `rollups` still has those. Sessions stored before have 1970-01-01. What is rolled up of running days is made again.
DELETE FROM rollups WHERE (project_id, day) IN (SELECT project_id, day FROM running_days);
DELETE FROM running_days;

ALTER TABLE sessions ADD COLUMN received_to TIMESTAMP_MS DEFAULT '1970-01-01';
ALTER TABLE sessions ALTER COLUMN received_to SET NOT NULL;

-- The columns of `sessions` that rollups are made of.
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
    paid_source VARCHAR NOT NULL
);
