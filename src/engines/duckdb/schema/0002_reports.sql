-- What reports read besides `events`. All of it is derived: `sextant rebuild` makes it again.

-- One row for each visitor of a session, nearly always one. `is_first` marks one row of each session: sessions are counted by it, and what is
-- told of a session as a whole (first touch, start, end, pages, bounce) is the same in all of its rows. `hits`, `events`, `chains`, `revenue`, `volume`
-- and `points` are those of the visitor in this session, so they add up. Money is in billionths, so that sums are exact in any order.
-- The writer merges the events of a batch into the rows of the sessions they touch, in the batch's transaction. The last five columns are for that:
-- when the first touch, the pages and the address were seen (2100-01-01, or 1970-01-01 for the last page: never), and events that show interest.
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

-- What a partition adds to each value of each dimension. Hits, sessions and revenue add up over days. Visitors do, too, by when they were last seen
-- under this value: before the day `seen_before` (1970-01-01: never), so the day after that. Of a window's visitors each counts on the first day in it,
-- which is the day whose `seen_before` is not after the window's first. So distinct counts over any window are exact sums. Dimensions of revenue
-- are named 'revenue <column>'.
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

-- How far the rollups of a project go. Its partitions up to `clean_through` are clean: their rollups hold everything that is stored. Later ones are
-- dirty and read from `sessions`. `seen_before` of a partition depends on all earlier ones and on no later one, so the clean ones are always a
-- beginning: a late event makes its own partition and all after it dirty, and removes their rollups, in its own transaction.
-- `clean_through` is 1969-12-31 where nothing is clean.
-- Partitions before `removed_before` were removed by retention: a visitor last seen there is new to a window that begins earlier.
-- `dirty_at` is when the last late event came, `dirty_since` when the first of those came that made the present partitions dirty.
CREATE TABLE rollup_state
(
    project_id VARCHAR PRIMARY KEY,
    clean_through DATE NOT NULL,
    removed_before DATE NOT NULL,
    dirty_at TIMESTAMP_MS NOT NULL,
    dirty_since TIMESTAMP_MS NOT NULL
);
