-- What the reports read besides `events`. All of it can be made anew from the events: `sextant rebuild`.
--
-- A day of a project is closed once it is over: its sessions are written down (sessions, revenue_events, chain_visitors, visits) and counted
-- (rollups) under the number of a build. It is open while it runs, when an event has come since its build began, or when an earlier day has
-- another build than the one its counts of visitors rest on. Open days are read from the events themselves.
--
-- A day that runs is built every few minutes, up to a time of receipt (`closed_days.cut`). Reports take what was received since from the
-- events and put it together with the sessions it belongs to, which are in `day_events`. Such builds are replaced all day, so each has
-- partitions of its own, which are dropped: `snapshot` is the number below those of the builds made together, 0 for closed days.

-- Where the events of a UTC day are: `day` is that of `timestamp`, `key_day` the one in the key of `events`. The writer names a day
-- here before it stores an event of it: of a day that still runs once, as untouched (0), every time when it is over, and every time as late when
-- the event was received a while ago.
CREATE TABLE IF NOT EXISTS event_days
(
    project_id LowCardinality(String),
    day Date,
    key_day Date,
    is_late UInt8,
    touched_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplacingMergeTree(touched_at)
ORDER BY (project_id, day, key_day, is_late)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- Builds, each noted when all of its rows are in place. A number belongs to one build of one day of one project. The last one of a
-- day counts; the others are swept after a while. `cut` is 0 for a day that is over; a build of a running one holds the events whose
-- `first` is not below it.
CREATE TABLE IF NOT EXISTS closed_days
(
    project_id LowCardinality(String),
    day Date,
    build UInt64,
    started_at DateTime64(3, 'UTC'),
    rests_on UInt64,
    cut UInt64,
    snapshot UInt64
)
ENGINE = MergeTree
ORDER BY (project_id, day)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- One row a session: its first touch, and its events as far as filters ask for them. Only in a running day is `session` known: its
-- sessions may go on. `e_visitor` is empty where there is but one visitor, which saves 1.4 bytes an event.
CREATE TABLE IF NOT EXISTS sessions
(
    project_id LowCardinality(String),
    day Date,
    build UInt64 CODEC(ZSTD(1)),
    snapshot UInt64 CODEC(ZSTD(1)),
    session UInt64 CODEC(ZSTD(1)),
    visitors Array(UInt64) CODEC(ZSTD(1)),
    hits UInt64 CODEC(T64, ZSTD(1)),
    referrer LowCardinality(String),
    referrer_url String CODEC(ZSTD(1)),
    ref LowCardinality(String),
    utm_source LowCardinality(String),
    utm_medium LowCardinality(String),
    utm_campaign LowCardinality(String),
    utm_term LowCardinality(String),
    utm_content LowCardinality(String),
    origin LowCardinality(String),
    device LowCardinality(String),
    browser LowCardinality(String),
    os LowCardinality(String),
    location LowCardinality(String),
    builder_codes LowCardinality(String),
    channel LowCardinality(String),
    e_type Array(LowCardinality(String)),
    e_event Array(LowCardinality(String)),
    e_page Array(String) CODEC(ZSTD(1)),
    e_chain Array(LowCardinality(String)),
    e_address Array(String) CODEC(ZSTD(1)),
    e_volume Array(Float64) CODEC(ZSTD(1)),
    e_revenue Array(Float64) CODEC(ZSTD(1)),
    e_points Array(Float64) CODEC(ZSTD(1)),
    e_visitor Array(UInt64) CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY (toYYYYMM(day), snapshot)
ORDER BY (project_id, day, referrer, utm_source, device);

-- One row for each event with revenue, its columns resolved: its own value, else that of the session's first touch.
CREATE TABLE IF NOT EXISTS revenue_events
(
    project_id LowCardinality(String),
    day Date,
    build UInt64 CODEC(ZSTD(1)),
    snapshot UInt64 CODEC(ZSTD(1)),
    session UInt64 CODEC(ZSTD(1)),
    referrer LowCardinality(String),
    referrer_url String CODEC(ZSTD(1)),
    ref LowCardinality(String),
    utm_source LowCardinality(String),
    utm_medium LowCardinality(String),
    utm_campaign LowCardinality(String),
    utm_term LowCardinality(String),
    utm_content LowCardinality(String),
    channel LowCardinality(String),
    origin LowCardinality(String),
    pathname String CODEC(ZSTD(1)),
    builder_codes LowCardinality(String),
    device LowCardinality(String),
    browser LowCardinality(String),
    os LowCardinality(String),
    location LowCardinality(String),
    rdns LowCardinality(String),
    provider_name LowCardinality(String),
    chain_id LowCardinality(String),
    event LowCardinality(String),
    type LowCardinality(String),
    own_page String CODEC(ZSTD(1)),
    own_chain LowCardinality(String),
    address String CODEC(ZSTD(1)),
    volume Float64 CODEC(ZSTD(1)),
    revenue Float64 CODEC(ZSTD(1)),
    points Float64 CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY (toYYYYMM(day), snapshot)
ORDER BY (project_id, day, referrer, utm_source, device);

-- Who was seen on which chain, and the sessions that count there, each with one of its visitors. Reports look the visitors of today up in
-- it, which takes as long with four times as many rows, because visitors are the key. What is read and unpacked for one of them is kept
-- small, here and in the tables below: 450 visitors were found among 7.5 million visits in 21 ms, and in 264 with pieces of 1,024 rows and
-- 64 KB, for 0.3 bytes an event.
CREATE TABLE IF NOT EXISTS chain_visitors
(
    visitor UInt64 CODEC(Delta, ZSTD(1)),
    project_id LowCardinality(String),
    day Date CODEC(ZSTD(1)),
    build UInt64 CODEC(ZSTD(1)),
    snapshot UInt64 CODEC(ZSTD(1)),
    chain_id LowCardinality(String),
    sessions UInt32 CODEC(T64, ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY (toYYYYMM(day), snapshot)
ORDER BY visitor
SETTINGS index_granularity = 256, min_compress_block_size = 8192, max_compress_block_size = 16384;

-- Who came under which first touch, one row for each visitor of a session, for the same look-up: of 1.9 million visits 140 visitors were
-- found in 6 ms, where the sessions, which are by day, took 67. `touch` holds the values of the dimensions of top_sources, in
-- their order: side by side, where one mostly tells the others, they take 5 bytes, and 7 in columns.
CREATE TABLE IF NOT EXISTS visits
(
    visitor UInt64 CODEC(Delta, ZSTD(1)),
    project_id LowCardinality(String),
    day Date CODEC(ZSTD(1)),
    build UInt64 CODEC(ZSTD(1)),
    snapshot UInt64 CODEC(ZSTD(1)),
    session UInt64 CODEC(ZSTD(1)),
    touch Array(LowCardinality(String)) CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY (toYYYYMM(day), snapshot)
ORDER BY visitor
SETTINGS index_granularity = 256, min_compress_block_size = 8192, max_compress_block_size = 16384;

-- The events of a running day, each message once, by their sessions. `message` decides between two at the same time, `key` stands for what makes a
-- copy. Messages whose key has this day are all there, whichever day they are of: a copy that came later must not count.
CREATE TABLE IF NOT EXISTS day_events
(
    session UInt64,
    project_id LowCardinality(String),
    day Date,
    build UInt64,
    snapshot UInt64,
    key UInt64,
    message UInt64,
    visitor UInt64,
    timestamp DateTime64(3, 'UTC'),
    has_touch UInt8,
    type LowCardinality(String),
    event LowCardinality(String),
    origin LowCardinality(String),
    pathname String,
    referrer LowCardinality(String),
    referrer_url String,
    ref LowCardinality(String),
    utm_source LowCardinality(String),
    utm_medium LowCardinality(String),
    utm_campaign LowCardinality(String),
    utm_term LowCardinality(String),
    utm_content LowCardinality(String),
    device LowCardinality(String),
    browser LowCardinality(String),
    os LowCardinality(String),
    location LowCardinality(String),
    rdns LowCardinality(String),
    provider_name LowCardinality(String),
    chain_id LowCardinality(String),
    builder_codes LowCardinality(String),
    address String,
    volume Float64,
    revenue Float64,
    points Float64,
    acquisition LowCardinality(String)
)
ENGINE = MergeTree
PARTITION BY (toYYYYMM(day), snapshot)
ORDER BY session
SETTINGS index_granularity = 256, min_compress_block_size = 8192, max_compress_block_size = 16384;

-- What a day adds to each value of each dimension. Hits and sessions add up over days. Visitors do, too, by when they were seen
-- before (days since 1970, counted from 1; 0 for never): of a window's visitors each is counted on the first day in it, which is the
-- day whose `seen_before` lies before the window.
-- So distinct counts over any window are exact sums of small numbers, and take no longer with more visitors. A week of one dimension is
-- a few hundred rows of a project: pieces of 1,024 rows instead of 8,192 took 5 to 7 ms off a report of 45.
-- Revenue has dimensions of its own, `revenue` and a column: billionths, and under hits how many events they come from.
CREATE TABLE IF NOT EXISTS rollups
(
    project_id LowCardinality(String),
    dimension LowCardinality(String),
    value String CODEC(ZSTD(1)),
    day Date,
    build UInt64 CODEC(ZSTD(1)),
    snapshot UInt64 CODEC(ZSTD(1)),
    hits UInt64 CODEC(T64, ZSTD(1)),
    sessions UInt64 CODEC(T64, ZSTD(1)),
    revenue Int128 CODEC(ZSTD(1)),
    seen_before Array(UInt16) CODEC(ZSTD(1)),
    visitors Array(UInt32) CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY (toYYYYMM(day), snapshot)
ORDER BY (project_id, dimension, day, value)
SETTINGS index_granularity = 1024;

-- The days of some projects: the build that counts (0: none) and its cut, where their events are, and whether they are open. An event opens
-- every day of its key day: of two copies of a message the one that was received first counts, and it may have been of another day. What
-- comes in time was received after all that a build of a running day holds, so to such a build only late events of other days matter. A
-- build from the future is one from before the clock was set back.
CREATE OR REPLACE VIEW project_days AS
SELECT
    project_id,
    day,
    build,
    cut,
    snapshot,
    key_days,
    touched_late,
    if(cut > 0, touched_late, touched) >= started OR started > toUnixTimestamp64Milli(now64(3)) OR rests_on != earlier AS is_open
FROM
(
    SELECT
        project_id,
        day,
        build,
        cut,
        snapshot,
        key_days,
        touched,
        touched_late,
        started,
        rests_on,
        groupBitXor(if(build = 0, 0, cityHash64(day, build))) OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier
    FROM
    (
        SELECT
            project_id,
            day,
            max(number) AS build,
            max(touched_ms) AS touched,
            max(late_ms) AS touched_late,
            argMax(started_ms, number) AS started,
            argMax(rests, number) AS rests_on,
            argMax(until, number) AS cut,
            argMax(place, number) AS snapshot,
            groupUniqArrayIf(key_day, number = 0) AS key_days
        FROM
        (
            SELECT
                project_id,
                day,
                key_day,
                toUInt64(0) AS number,
                max(toUnixTimestamp64Milli(touched_at)) OVER (PARTITION BY project_id, key_day) AS touched_ms,
                greatest(toUnixTimestamp64Milli(touched_at), max(if(is_late, toUnixTimestamp64Milli(touched_at), 0)) OVER (PARTITION BY project_id, key_day)) AS late_ms,
                toInt64(0) AS started_ms,
                toUInt64(0) AS rests,
                toUInt64(0) AS until,
                toUInt64(0) AS place
            FROM event_days
            WHERE project_id IN {projects:Array(String)}
            UNION ALL
            SELECT project_id, day, day, build, toInt64(0), toInt64(0), toUnixTimestamp64Milli(started_at), rests_on, cut, snapshot
            FROM closed_days
            WHERE project_id IN {projects:Array(String)}
        )
        GROUP BY project_id, day
    )
);
