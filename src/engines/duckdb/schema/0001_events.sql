-- Every message once: the writer finds copies by `dedupe_key` before it stores a batch, in the same transaction. A
-- primary key would do the same for 44 to 138 bytes an event and at half of the speed; the key column costs 8 bytes an
-- event and 4 to 11 ms a batch. `day` is the UTC day of `timestamp`, the day of the partition. `dedupe_day` is the day
-- of the client's own clock, part of the dedupe key. `context`, `properties` and `extra` hold the event as it was sent.
-- Without zstd on them an event takes 231 bytes instead of 101.
CREATE TABLE events
(
    project_id VARCHAR NOT NULL,
    day DATE NOT NULL,
    timestamp TIMESTAMP_MS NOT NULL,
    session UBIGINT NOT NULL,
    visitor UBIGINT NOT NULL,
    dedupe_day DATE NOT NULL,
    dedupe_key UBIGINT NOT NULL,
    message_id VARCHAR NOT NULL,
    received_at TIMESTAMP_MS NOT NULL,
    original_after_ms BIGINT NOT NULL,
    sent_after_ms BIGINT NOT NULL,
    channel VARCHAR NOT NULL,
    type VARCHAR NOT NULL,
    event VARCHAR NOT NULL,
    version VARCHAR NOT NULL,
    anonymous_id VARCHAR NOT NULL,
    user_id VARCHAR NOT NULL,
    address VARCHAR NOT NULL,
    address_spelt VARCHAR NOT NULL,
    session_id VARCHAR NOT NULL,
    origin VARCHAR NOT NULL,
    pathname VARCHAR NOT NULL,
    referrer VARCHAR NOT NULL,
    referrer_url VARCHAR NOT NULL,
    ref VARCHAR NOT NULL,
    utm_source VARCHAR NOT NULL,
    utm_medium VARCHAR NOT NULL,
    utm_campaign VARCHAR NOT NULL,
    utm_term VARCHAR NOT NULL,
    utm_content VARCHAR NOT NULL,
    device VARCHAR NOT NULL,
    browser VARCHAR NOT NULL,
    os VARCHAR NOT NULL,
    location VARCHAR NOT NULL,
    rdns VARCHAR NOT NULL,
    provider_name VARCHAR NOT NULL,
    chain_id VARCHAR NOT NULL,
    builder_codes VARCHAR NOT NULL,
    volume DOUBLE NOT NULL,
    revenue DOUBLE NOT NULL,
    points DOUBLE NOT NULL,
    acquisition VARCHAR NOT NULL,
    has_touch UTINYINT NOT NULL,
    context VARCHAR NOT NULL USING COMPRESSION zstd,
    properties VARCHAR NOT NULL USING COMPRESSION zstd,
    extra VARCHAR NOT NULL USING COMPRESSION zstd
);

-- Parked events with their reason, to be read and replayed. Kept 30 days. `head` is the beginning of the sent text.
CREATE TABLE parked_events
(
    project_id VARCHAR NOT NULL,
    received_at TIMESTAMP_MS NOT NULL,
    id VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    details VARCHAR NOT NULL,
    rules VARCHAR NOT NULL,
    country VARCHAR NOT NULL,
    message_id VARCHAR NOT NULL,
    head VARCHAR NOT NULL,
    raw_bytes BIGINT NOT NULL
);

-- The complete sent text, in pieces of at most 16,384 characters. It may have 10 MB, and DuckDB holds 2,048 values of a
-- column in memory at once: sixty such texts in one column ended the engine at the next checkpoint, with a limit of 400
-- MiB.
CREATE TABLE parked_raw
(
    project_id VARCHAR NOT NULL,
    received_at TIMESTAMP_MS NOT NULL,
    id VARCHAR NOT NULL,
    nth UINTEGER NOT NULL,
    text VARCHAR NOT NULL USING COMPRESSION zstd
);

-- The ledger: the outcome of every received event, by project and minute of receipt: stored, duplicate, parked or
-- refused. `day` decides how long a row is kept: for stored and duplicate events it is the day of the events, for
-- others the day of receipt.
CREATE TABLE ledger
(
    project_id VARCHAR NOT NULL,
    minute TIMESTAMP_S NOT NULL,
    outcome VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    day DATE NOT NULL,
    events BIGINT NOT NULL
);

-- The cursor of each node's event log. It moves in the transaction that stores the events, so that each is stored once.
CREATE TABLE log_cursors
(
    node_id VARCHAR PRIMARY KEY,
    segment BIGINT NOT NULL,
    "offset" BIGINT NOT NULL
);
