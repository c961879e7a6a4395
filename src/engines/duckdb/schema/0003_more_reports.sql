-- Columns and dimensions of the further reports. `sessions` and `rollups` get another form. They are derived, so they
-- are dropped instead of copied: a start must not take minutes. Until the worker has rebuilt the sessions of a partition
-- in `outdated_sessions`, reports compute them from its events; all partitions are dirty until their rollups exist.

ALTER TABLE events ADD COLUMN paid_source VARCHAR DEFAULT '';
ALTER TABLE events ALTER COLUMN paid_source SET NOT NULL;

-- Partitions whose rows in `sessions` a migration has removed.
CREATE TABLE outdated_sessions
(
    project_id VARCHAR NOT NULL,
    day DATE NOT NULL
);
INSERT INTO outdated_sessions SELECT DISTINCT project_id, day FROM sessions;

-- One row per session and visitor; nearly every session has one visitor. `is_first` marks one row of each session, by
-- which sessions are counted. Columns of the whole session (start, end, activity, bounce, pages, first touch, paid
-- source) are the same in all of its rows. `hits` up to `points` belong to the visitor in this session, so that they add
-- up; the four lists hold each value once, a page as 'origin path' (an origin is a host and has no space). Money is in
-- billionths, so that sums are exact in any order. The writer merges the events of a batch into the rows of their
-- sessions, in the batch's transaction. The last eight columns serve the merge: the ranks of the first touch, the first
-- and last page, the first address and the first paid source (the highest number, or 0 for the last page: none), the
-- number of events that show interest, and the gaps of more than 30 minutes, in milliseconds of the day.
DROP TABLE sessions;
CREATE TABLE sessions
(
    project_id VARCHAR NOT NULL,
    day DATE NOT NULL,
    session UBIGINT NOT NULL,
    visitor UBIGINT NOT NULL,
    is_first BOOLEAN NOT NULL,
    started_at TIMESTAMP_MS NOT NULL,
    ended_at TIMESTAMP_MS NOT NULL,
    active_ms UINTEGER NOT NULL,
    is_bounce BOOLEAN NOT NULL,
    entry_origin VARCHAR NOT NULL,
    entry_page VARCHAR NOT NULL,
    exit_origin VARCHAR NOT NULL,
    exit_page VARCHAR NOT NULL,
    address VARCHAR NOT NULL,
    hits UINTEGER NOT NULL,
    events UINTEGER NOT NULL,
    transactions UINTEGER NOT NULL,
    signatures UINTEGER NOT NULL,
    connects UINTEGER NOT NULL,
    chains VARCHAR[] NOT NULL,
    rdns_names VARCHAR[] NOT NULL,
    addresses VARCHAR[] NOT NULL,
    pages VARCHAR[] NOT NULL,
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
    paid_source VARCHAR NOT NULL,
    touch_rank UBIGINT NOT NULL,
    entry_rank UBIGINT NOT NULL,
    exit_rank UBIGINT NOT NULL,
    address_rank UBIGINT NOT NULL,
    paid_rank UBIGINT NOT NULL,
    engagements UINTEGER NOT NULL,
    gap_starts INTEGER[] NOT NULL,
    gap_ends INTEGER[] NOT NULL
);

-- What a partition adds to each value of each dimension. All columns but `visitors` add up over days. Visitors are
-- counted by `seen_before`, the day after they were last seen under this value (1970-01-01: never). A visitor of a
-- window counts on the first day in it: the day whose `seen_before` is not after the window's first day. So distinct
-- counts over any window are exact sums. The same holds for a week or a month of the window.
--
-- dimension               value                         columns that are not 0
-- total                   ''                            all
-- a column of the first   its value as shown; of        hits, sessions, visitors, bounces, active_ms, transactions
--   touch, or paid_source   paid_source only if not ''
-- chain_id, rdns          each of a session's events    sessions, visitors
-- page                    'origin path'                 hits, sessions, visitors
-- wallet                  ''                            visitors: distinct addresses
-- entry_page, exit_page   'origin path' of the first    hits, sessions, bounces, active_ms of these sessions
--                           or last page view
-- event <type>            the event's name              hits: events
-- hour                    '00' to '23'                  hits, sessions and visitors with an event in the hour, revenue,
--                                                         volume, transactions, events
-- hour started            '00' to '23'                  sessions that began in the hour, their bounces and active_ms
-- hour wallets            '00' to '23'                  visitors: distinct addresses in the hour
-- revenue <column>        the value the revenue counts  hits: events with revenue; revenue
--                           under, as shown
-- volume <column>         likewise                      hits: events with volume; volume
--
-- `seen_before` is 1970-01-01 for the hours: an hour belongs to one day.
DROP TABLE rollups;
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
    revenue HUGEINT NOT NULL,
    volume HUGEINT NOT NULL,
    bounces BIGINT NOT NULL,
    active_ms BIGINT NOT NULL,
    transactions BIGINT NOT NULL,
    events BIGINT NOT NULL
);

UPDATE rollup_state SET clean_through = DATE '1969-12-31';
