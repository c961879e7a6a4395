-- What the reports read besides `events`. All of it but event_days is derived: `sextant rebuild` makes it anew from the events.
--
-- A day of a project is closed once it is over: its sessions are written down (sessions, revenue_events) and counted (rollups) under
-- the number of a build. It is open while it runs, when an event has come since its build began, or when an earlier day was
-- built after it, since a count of visitors rests on the days before. Open days are read from the events themselves.

-- Where the events of a UTC day are: `day` is that of `timestamp`, `key_day` the one in the key of `events`. The writer names a day
-- here before it stores an event of it, every time unless the day is still running.
CREATE TABLE IF NOT EXISTS event_days
(
    project_id LowCardinality(String),
    day Date,
    key_day Date,
    touched_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplacingMergeTree(touched_at)
ORDER BY (project_id, day, key_day)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- Builds, each noted when all of its rows are in place. The last one of a day counts; the others are swept after a while.
CREATE TABLE IF NOT EXISTS closed_days
(
    project_id LowCardinality(String),
    day Date,
    build UInt64,
    started_at DateTime64(3, 'UTC')
)
ENGINE = MergeTree
ORDER BY (project_id, day)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- One row a session of a closed day: its first touch, and its events as far as filters ask for them.
CREATE TABLE IF NOT EXISTS sessions
(
    project_id LowCardinality(String),
    day Date,
    build UInt64 CODEC(ZSTD(1)),
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
PARTITION BY toYYYYMM(day)
ORDER BY (project_id, day, referrer, utm_source, device);

-- One row for each event with revenue of a closed day, its columns resolved: its own value, else that of the session's first touch.
CREATE TABLE IF NOT EXISTS revenue_events
(
    project_id LowCardinality(String),
    day Date,
    build UInt64 CODEC(ZSTD(1)),
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
PARTITION BY toYYYYMM(day)
ORDER BY (project_id, day, referrer, utm_source, device);

-- What a day adds to each value of each dimension. Hits and sessions add up over days. Visitors do, too, by when they were seen
-- before: of a window's visitors each is counted on the first day in it, which is the day whose `seen_before` lies before the window.
-- So distinct counts over any window are exact sums of small numbers, and take no longer with more visitors.
CREATE TABLE IF NOT EXISTS rollups
(
    project_id LowCardinality(String),
    dimension LowCardinality(String),
    value String CODEC(ZSTD(1)),
    day Date,
    build UInt64 CODEC(ZSTD(1)),
    hits UInt64 CODEC(T64, ZSTD(1)),
    sessions UInt64 CODEC(T64, ZSTD(1)),
    seen_before Array(Date) CODEC(ZSTD(1)),
    visitors Array(UInt32) CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (project_id, dimension, day, value);

-- Which days of some projects are open, where their events are, and the build they had (0: none).
CREATE OR REPLACE VIEW open_days AS
SELECT project_id, day, build, key_days
FROM
(
    SELECT
        project_id,
        day,
        build,
        key_days,
        touched,
        started,
        max(started) OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS built_earlier
    FROM
    (
        SELECT
            project_id,
            day,
            max(number) AS build,
            max(touched_ms) AS touched,
            argMax(started_ms, number) AS started,
            groupUniqArrayIf(key_day, number = 0) AS key_days
        FROM
        (
            SELECT project_id, day, key_day, toUInt64(0) AS number, toUnixTimestamp64Milli(touched_at) AS touched_ms, toInt64(0) AS started_ms
            FROM event_days
            WHERE project_id IN {projects:Array(String)}
            UNION ALL
            SELECT project_id, day, day AS key_day, build AS number, toInt64(0) AS touched_ms, toUnixTimestamp64Milli(started_at) AS started_ms
            FROM closed_days
            WHERE project_id IN {projects:Array(String)}
        )
        GROUP BY project_id, day
    )
)
WHERE touched >= started OR built_earlier > started;

-- THE definition of a session, from the events of some days; `keys` says where those are. The rank of a session's events is: page context
-- first, then time, then any fixed order. `e_` is every event of the session, `r_` those with revenue, by their own columns.
CREATE OR REPLACE VIEW sessions_of_events AS
WITH
    bitShiftLeft(toUInt128(has_touch = 0), 127) + bitShiftLeft(toUInt128(toUnixTimestamp64Milli(timestamp)), 64) + cityHash64(message_id) AS rank
SELECT
    project_id,
    toDate(timestamp) AS day,
    session,
    groupUniqArray(visitor) AS visitors,
    countIf(type = 'page') AS hits,
    argMin(events.referrer, rank) AS referrer,
    argMin(events.referrer_url, rank) AS referrer_url,
    argMin(events.ref, rank) AS ref,
    argMin(events.utm_source, rank) AS utm_source,
    argMin(events.utm_medium, rank) AS utm_medium,
    argMin(events.utm_campaign, rank) AS utm_campaign,
    argMin(events.utm_term, rank) AS utm_term,
    argMin(events.utm_content, rank) AS utm_content,
    argMin(events.origin, rank) AS origin,
    argMin(events.device, rank) AS device,
    argMin(events.browser, rank) AS browser,
    argMin(events.os, rank) AS os,
    argMin(events.location, rank) AS location,
    argMin(events.builder_codes, rank) AS builder_codes,
    argMin(events.acquisition, rank) AS channel,
    argMin(events.pathname, rank) AS pathname,
    argMin(events.rdns, rank) AS rdns,
    argMin(events.provider_name, rank) AS provider_name,
    argMin(events.chain_id, rank) AS chain_id,
    groupArray(events.type) AS e_type,
    groupArray(events.event) AS e_event,
    groupArray(events.pathname) AS e_page,
    groupArray(events.chain_id) AS e_chain,
    groupArray(events.address) AS e_address,
    groupArray(events.volume) AS e_volume,
    groupArray(events.revenue) AS e_revenue,
    groupArray(events.points) AS e_points,
    groupArray(events.visitor) AS e_visitor,
    groupArrayIf(events.referrer, events.revenue != 0) AS r_referrer,
    groupArrayIf(events.referrer_url, events.revenue != 0) AS r_referrer_url,
    groupArrayIf(events.ref, events.revenue != 0) AS r_ref,
    groupArrayIf(events.utm_source, events.revenue != 0) AS r_utm_source,
    groupArrayIf(events.utm_medium, events.revenue != 0) AS r_utm_medium,
    groupArrayIf(events.utm_campaign, events.revenue != 0) AS r_utm_campaign,
    groupArrayIf(events.utm_term, events.revenue != 0) AS r_utm_term,
    groupArrayIf(events.utm_content, events.revenue != 0) AS r_utm_content,
    groupArrayIf(events.acquisition, events.revenue != 0) AS r_channel,
    groupArrayIf(events.origin, events.revenue != 0) AS r_origin,
    groupArrayIf(events.pathname, events.revenue != 0) AS r_pathname,
    groupArrayIf(events.builder_codes, events.revenue != 0) AS r_builder_codes,
    groupArrayIf(events.device, events.revenue != 0) AS r_device,
    groupArrayIf(events.browser, events.revenue != 0) AS r_browser,
    groupArrayIf(events.os, events.revenue != 0) AS r_os,
    groupArrayIf(events.location, events.revenue != 0) AS r_location,
    groupArrayIf(events.rdns, events.revenue != 0) AS r_rdns,
    groupArrayIf(events.provider_name, events.revenue != 0) AS r_provider_name,
    groupArrayIf(events.chain_id, events.revenue != 0) AS r_chain_id,
    groupArrayIf(events.event, events.revenue != 0) AS r_event,
    groupArrayIf(events.type, events.revenue != 0) AS r_type,
    groupArrayIf(events.address, events.revenue != 0) AS r_address,
    groupArrayIf(events.volume, events.revenue != 0) AS r_volume,
    groupArrayIf(events.revenue, events.revenue != 0) AS r_revenue,
    groupArrayIf(events.points, events.revenue != 0) AS r_points
FROM events FINAL
WHERE (project_id, events.day) IN {keys:Array(Tuple(String, Date))}
    AND (project_id, toDate(timestamp)) IN {days:Array(Tuple(String, Date))}
    AND session % {chunks:UInt32} = {chunk:UInt32}
GROUP BY project_id, day, session;

-- Events with revenue and their resolved columns, from the events of some days.
CREATE OR REPLACE VIEW revenue_of_events AS
WITH
    r_channel != 'Direct' OR r_referrer != '' OR r_ref != '' OR r_utm_source != '' OR r_utm_medium != ''
        OR r_utm_campaign != '' OR r_utm_term != '' OR r_utm_content != '' AS has_signal
SELECT
    project_id,
    day,
    if(has_signal, r_referrer, s.referrer) AS referrer,
    if(has_signal, r_referrer_url, s.referrer_url) AS referrer_url,
    if(has_signal, r_ref, s.ref) AS ref,
    if(has_signal, r_utm_source, s.utm_source) AS utm_source,
    if(has_signal, r_utm_medium, s.utm_medium) AS utm_medium,
    if(has_signal, r_utm_campaign, s.utm_campaign) AS utm_campaign,
    if(has_signal, r_utm_term, s.utm_term) AS utm_term,
    if(has_signal, r_utm_content, s.utm_content) AS utm_content,
    if(has_signal, r_channel, s.channel) AS channel,
    multiIf(r_origin != '', r_origin, has_signal, '', s.origin) AS origin,
    multiIf(r_pathname != '', r_pathname, has_signal, '', s.pathname) AS pathname,
    multiIf(r_builder_codes != '', r_builder_codes, has_signal, '', s.builder_codes) AS builder_codes,
    if(r_device != '', r_device, s.device) AS device,
    if(r_browser != '', r_browser, s.browser) AS browser,
    if(r_os != '', r_os, s.os) AS os,
    if(r_location != '', r_location, s.location) AS location,
    if(r_rdns != '', r_rdns, s.rdns) AS rdns,
    if(r_provider_name != '', r_provider_name, s.provider_name) AS provider_name,
    if(r_chain_id != '', r_chain_id, s.chain_id) AS chain_id,
    r_event AS event,
    r_type AS type,
    r_pathname AS own_page,
    r_chain_id AS own_chain,
    r_address AS address,
    r_volume AS volume,
    r_revenue AS revenue,
    r_points AS points
FROM sessions_of_events(
    keys = {keys:Array(Tuple(String, Date))}, days = {days:Array(Tuple(String, Date))},
    chunks = {chunks:UInt32}, chunk = {chunk:UInt32}) AS s
ARRAY JOIN
    r_referrer,
    r_referrer_url,
    r_ref,
    r_utm_source,
    r_utm_medium,
    r_utm_campaign,
    r_utm_term,
    r_utm_content,
    r_channel,
    r_origin,
    r_pathname,
    r_builder_codes,
    r_device,
    r_browser,
    r_os,
    r_location,
    r_rdns,
    r_provider_name,
    r_chain_id,
    r_event,
    r_type,
    r_address,
    r_volume,
    r_revenue,
    r_points;
