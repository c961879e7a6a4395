-- The tables that reports read besides `events`. They are derived: `sextant rebuild` makes them again.

-- One row per session and visitor; nearly every session has one visitor. `is_first` marks one row of each session, by
-- which sessions are counted. Columns of the whole session (first touch, start, end, pages, bounce) are the same in all
-- of its rows. `hits`, `events`, `chains`, `revenue`, `volume` and `points` belong to the visitor in this session, so
-- that they add up. Money is in billionths, so that sums are exact in any order. The writer merges the events of a
-- batch into the rows of their sessions, in the batch's transaction. The last five columns serve the merge: when the
-- first touch, the pages and the address were seen (2100-01-01, or 1970-01-01 for the last page: never), and the number
-- of events that show interest.
CREATE TABLE sessions
(
    project_id VARCHAR NOT NULL,
    day DATE NOT NULL,
    session UBIGINT NOT NULL,
    visitor UBIGINT NOT NULL,
    is_first BOOLEAN NOT NULL,
    started_at TIMESTAMP_MS NOT NULL,
    ended_at TIMESTAMP_MS NOT NULL,
    hits UINTEGER NOT NULL,
    events UINTEGER NOT NULL,
    is_bounce BOOLEAN NOT NULL,
    entry_page VARCHAR NOT NULL,
    exit_page VARCHAR NOT NULL,
    address VARCHAR NOT NULL,
    chains VARCHAR[] NOT NULL,
    revenue HUGEINT NOT NULL,
    volume HUGEINT NOT NULL,
    points HUGEINT NOT NULL,
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
    pathname VARCHAR NOT NULL,
    builder_codes VARCHAR NOT NULL,
    device VARCHAR NOT NULL,
    browser VARCHAR NOT NULL,
    os VARCHAR NOT NULL,
    location VARCHAR NOT NULL,
    rdns VARCHAR NOT NULL,
    provider_name VARCHAR NOT NULL,
    chain_id VARCHAR NOT NULL,
    touch_rank UBIGINT NOT NULL,
    entry_at TIMESTAMP_MS NOT NULL,
    exit_at TIMESTAMP_MS NOT NULL,
    address_at TIMESTAMP_MS NOT NULL,
    engagements UINTEGER NOT NULL
);

-- What a partition adds to each value of each dimension. Hits, sessions and revenue add up over days. Visitors are
-- counted by `seen_before`, the day after they were last seen under this value (1970-01-01: never). A visitor of a
-- window counts on the first day in it: the day whose `seen_before` is not after the window's first day. So distinct
-- counts over any window are exact sums. Dimensions of revenue are named 'revenue <column>'.
CREATE TABLE rollups
(
    project_id VARCHAR NOT NULL,
    day DATE NOT NULL,
    dimension VARCHAR NOT NULL,
    value VARCHAR NOT NULL,
    seen_before DATE NOT NULL,
    hits BIGINT NOT NULL,
    sessions BIGINT NOT NULL,
    visitors BIGINT NOT NULL,
    revenue HUGEINT NOT NULL
);

-- Which partitions of a project are clean. The rollups of partitions up to `clean_through` include all stored events
-- (1969-12-31: no partition is clean). Later partitions are dirty, and reports read them from `sessions`. `seen_before`
-- of a partition depends on all earlier partitions and on no later one, so that the clean ones are always a prefix: a
-- late event makes its own partition and all later ones dirty, and removes their rollups, in its own transaction.
-- Retention has removed the partitions before `removed_before`: a visitor last seen there is new to a window that
-- begins earlier. `dirty_at` is the arrival of the last late event, `dirty_since` that of the first one that made the
-- current partitions dirty.
CREATE TABLE rollup_state
(
    project_id VARCHAR PRIMARY KEY,
    clean_through DATE NOT NULL,
    removed_before DATE NOT NULL,
    dirty_at TIMESTAMP_MS NOT NULL,
    dirty_since TIMESTAMP_MS NOT NULL
);
