-- Profiles of wallets. They are derived: `sextant rebuild` makes them again.

-- What the events of a partition say of each wallet. A rank orders events by time and dedupe key; 0: no event knows the
-- value. Money is in billionths. Materialized with the rollups of the partition, and valid up to `clean_through`.
CREATE TABLE profile_days
(
    project_id VARCHAR NOT NULL,
    day DATE NOT NULL,
    address VARCHAR NOT NULL,
    first_ms BIGINT NOT NULL,
    last_ms BIGINT NOT NULL,
    sessions BIGINT NOT NULL,
    events BIGINT NOT NULL,
    transactions BIGINT NOT NULL,
    signatures BIGINT NOT NULL,
    revenue HUGEINT NOT NULL,
    volume HUGEINT NOT NULL,
    points HUGEINT NOT NULL,
    chains VARCHAR[] NOT NULL,
    client_rank UBIGINT NOT NULL,
    device VARCHAR NOT NULL,
    browser VARCHAR NOT NULL,
    os VARCHAR NOT NULL,
    location_rank UBIGINT NOT NULL,
    location VARCHAR NOT NULL,
    user_rank UBIGINT NOT NULL,
    user_id VARCHAR NOT NULL,
    last_rank UBIGINT NOT NULL,
    last_type VARCHAR NOT NULL,
    last_event VARCHAR NOT NULL,
    last_properties VARCHAR NOT NULL USING COMPRESSION zstd
);

-- The sessions that count as touches of a wallet. A session counts through the first day from `seen_day` on, within 30
-- days, on which its visitor has an event with the wallet: `day` is that partition.
CREATE TABLE profile_touches
(
    project_id VARCHAR NOT NULL,
    day DATE NOT NULL,
    address VARCHAR NOT NULL,
    seen_day DATE NOT NULL,
    touch_rank UBIGINT NOT NULL,
    has_signal UTINYINT NOT NULL,
    referrer VARCHAR NOT NULL,
    referrer_url VARCHAR NOT NULL,
    ref VARCHAR NOT NULL,
    utm_source VARCHAR NOT NULL,
    utm_medium VARCHAR NOT NULL,
    utm_campaign VARCHAR NOT NULL,
    utm_term VARCHAR NOT NULL,
    utm_content VARCHAR NOT NULL,
    channel VARCHAR NOT NULL,
    paid_source VARCHAR NOT NULL
);

-- The merge of both for each wallet, up to the partition `last_day`: a search of a million wallets would group five
-- times as many rows otherwise. A row is valid while `last_day` is clean. After a late event the others are merged again
-- from the two tables: by whoever reads them, and once by the worker before it materializes the next partition.
CREATE TABLE profile_sums
(
    project_id VARCHAR NOT NULL,
    address VARCHAR NOT NULL,
    last_day DATE NOT NULL,
    first_seen_ms BIGINT NOT NULL,
    last_seen_ms BIGINT NOT NULL,
    sessions BIGINT NOT NULL,
    events BIGINT NOT NULL,
    transactions BIGINT NOT NULL,
    signatures BIGINT NOT NULL,
    revenue HUGEINT NOT NULL,
    volume HUGEINT NOT NULL,
    points HUGEINT NOT NULL,
    chains VARCHAR[] NOT NULL,
    activity_days DATE[] NOT NULL,
    client_rank UBIGINT NOT NULL,
    device VARCHAR NOT NULL,
    browser VARCHAR NOT NULL,
    os VARCHAR NOT NULL,
    location_rank UBIGINT NOT NULL,
    location VARCHAR NOT NULL,
    user_rank UBIGINT NOT NULL,
    user_id VARCHAR NOT NULL,
    last_rank UBIGINT NOT NULL,
    last_type VARCHAR NOT NULL,
    last_event VARCHAR NOT NULL,
    last_properties VARCHAR NOT NULL USING COMPRESSION zstd,
    first_touch_rank UBIGINT NOT NULL,
    last_touch_rank UBIGINT NOT NULL,
    first_referrer VARCHAR NOT NULL,
    first_referrer_url VARCHAR NOT NULL,
    first_ref VARCHAR NOT NULL,
    first_utm_source VARCHAR NOT NULL,
    first_utm_medium VARCHAR NOT NULL,
    first_utm_campaign VARCHAR NOT NULL,
    first_utm_term VARCHAR NOT NULL,
    first_utm_content VARCHAR NOT NULL,
    first_channel VARCHAR NOT NULL,
    first_paid_source VARCHAR NOT NULL,
    last_referrer VARCHAR NOT NULL,
    last_referrer_url VARCHAR NOT NULL,
    last_ref VARCHAR NOT NULL,
    last_utm_source VARCHAR NOT NULL,
    last_utm_medium VARCHAR NOT NULL,
    last_utm_campaign VARCHAR NOT NULL,
    last_utm_term VARCHAR NOT NULL,
    last_utm_content VARCHAR NOT NULL,
    last_channel VARCHAR NOT NULL,
    last_paid_source VARCHAR NOT NULL
);

-- No partition has profiles yet: the worker materializes all again, oldest first. Until then reports read sessions, and
-- profiles are computed from events.
DELETE FROM rollups;
UPDATE rollup_state SET clean_through = DATE '1969-12-31';
