-- Statements of the ClickHouse half about partitions. Generated (npm run generate), compared by a test.

-- A report looks at the catalogue:

SELECT
    project_id,
    max(if(is_there AND is_clean, day + 1, toDate(0))) AS dirty_from,
    max(if(has_begun, toDate(0), day + 1)) AS removed_before,
    groupArrayIf(revision, is_there AND is_clean AND in_window) AS revisions,
    groupArrayIf(day, is_there AND NOT is_clean AND in_window) AS dirty_days,
    groupUniqArrayArrayIf(dedupe_days, is_there AND NOT is_clean AND in_window) AS dirty_dedupe_days,
    groupUniqArrayArrayIf(dedupe_days, is_there AND in_window) AS window_dedupe_days
FROM (SELECT *, day BETWEEN {first_day:Date} AND {last_day:Date} AS in_window FROM (SELECT
    project_id,
    day,
    revision,
    dedupe_days,
    notEmpty(dedupe_days) AS is_there,
    earlier AS depends_on,
    now_ms,
    min(is_valid)
        OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS is_clean,
    max(dirty_ms)
        OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS last_dirty_ms,
    max(notEmpty(dedupe_days))
        OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS has_begun
FROM
(
    SELECT
        *,
        empty(dedupe_days)
            OR (revision > 0 AND dirty_ms < started_ms AND started_ms <= now_ms AND recorded_depends_on = earlier)
            AS is_valid
    FROM
    (
        SELECT
            *,
            toUnixTimestamp64Milli(now64(3)) AS now_ms,
            groupBitXor(if(revision = 0, 0, cityHash64(day, revision)))
                OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier
        FROM
        (
            SELECT
                toString(project_id) AS project_id,
                day,
                max(number) AS revision,
                max(marked_ms) AS dirty_ms,
                argMax(begun_ms, number) AS started_ms,
                argMax(depends, number) AS recorded_depends_on,
                groupUniqArrayIf(dedupe_day, number = 0) AS dedupe_days
            FROM
            (
                SELECT
                    project_id,
                    day,
                    dedupe_day,
                    toUInt64(0) AS number,
                    max(toUnixTimestamp64Milli(dirty_at)) OVER (PARTITION BY project_id, dedupe_day) AS marked_ms,
                    toInt64(0) AS begun_ms,
                    toUInt64(0) AS depends
                FROM dirty_partitions
                WHERE project_id IN {projects:Array(String)}
                UNION ALL
                SELECT
                    project_id, day, day AS dedupe_day, revision, toInt64(0), toUnixTimestamp64Milli(started_at), depends_on
                FROM revisions
                WHERE project_id IN {projects:Array(String)}
            )
            GROUP BY project_id, day
        )
    )
)
))
GROUP BY project_id

-- Its relations, where some partitions are clean and others dirty:

-- scope
SELECT p.1 AS project_id, p.2 AS first_day, p.3 AS dirty_from
FROM (SELECT arrayJoin({scope:Array(Tuple(String, Date, Date))}) AS p)

-- events
SELECT * FROM events_rows FINAL WHERE project_id IN {scope_projects:Array(String)} AND day BETWEEN {scope_first_day:Date} AND {scope_last_day:Date} AND dedupe_day IN {scope_dedupe_days:Array(Date)}

-- rollups
SELECT project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue
FROM rollup_rows WHERE project_id IN {scope_projects:Array(String)} AND day BETWEEN {scope_first_day:Date} AND {scope_last_day:Date} AND revision IN {scope_revisions:Array(UInt64)}

-- sessions
SELECT project_id, day, session, visitor, is_first, started_at, ended_at, hits, events, is_bounce, entry_page, exit_page, address, chains, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id
FROM session_rows WHERE project_id IN {scope_projects:Array(String)} AND day BETWEEN {scope_first_day:Date} AND {scope_last_day:Date} AND revision IN {scope_revisions:Array(UInt64)}
UNION ALL
SELECT project_id, day, session, visitor, is_first, started_at, ended_at, hits, events, is_bounce, entry_page, exit_page, address, chains, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id FROM (
WITH parts AS
(
SELECT
    e.project_id AS project_id,
    e.day AS day,
    e.session AS session,
    e.visitor AS visitor,
    if(e.has_touch = 0, toUInt64(9223372036854775808), toUInt64(0))
        + toUInt64(toUnixTimestamp64Milli(e.timestamp)) * 1048576
        + e.dedupe_key % 1048576 AS touch_rank,
    e.timestamp AS started_at,
    e.timestamp AS ended_at,
    if(e.type = 'page', 1, 0) AS hits,
    1 AS events,
    if(e.type IN ('connect', 'transaction', 'track', 'decoded_log'), 1, 0) AS engagements,
    if(e.type = 'page', e.timestamp, fromUnixTimestamp64Milli(toInt64(4102444800000))) AS entry_at,
    if(e.type = 'page', e.pathname, '') AS entry_page,
    if(e.type = 'page', e.timestamp, fromUnixTimestamp64Milli(toInt64(0))) AS exit_at,
    if(e.type = 'page', e.pathname, '') AS exit_page,
    if(e.address != '', e.timestamp, fromUnixTimestamp64Milli(toInt64(4102444800000))) AS address_at,
    e.address AS address,
    if(e.chain_id = '', [], [e.chain_id]) AS chains,
    toInt128(floor(e.revenue * 1e9 + 0.5)) AS revenue,
    toInt128(floor(e.volume * 1e9 + 0.5)) AS volume,
    toInt128(floor(e.points * 1e9 + 0.5)) AS points,
    e.referrer AS referrer,
    e.referrer_url AS referrer_url,
    e.ref AS ref,
    e.utm_source AS utm_source,
    e.utm_medium AS utm_medium,
    e.utm_campaign AS utm_campaign,
    e.utm_term AS utm_term,
    e.utm_content AS utm_content,
    e.acquisition AS channel,
    e.origin AS origin,
    e.pathname AS pathname,
    e.builder_codes AS builder_codes,
    e.device AS device,
    e.browser AS browser,
    e.os AS os,
    e.location AS location,
    e.rdns AS rdns,
    e.provider_name AS provider_name,
    e.chain_id AS chain_id
FROM (SELECT * FROM events_rows FINAL
    WHERE (project_id, dedupe_day) IN {scope_dirty_keys:Array(Tuple(String, Date))}
        AND (project_id, day) IN {scope_dirty_days:Array(Tuple(String, Date))}) AS e
),
of_session AS
(
SELECT
    p.project_id AS project_id,
    p.day AS day,
    p.session AS session,
    min(p.touch_rank) AS first_rank,
    argMin(p.visitor, p.touch_rank) AS first_visitor,
    min(p.started_at) AS started_at,
    max(p.ended_at) AS ended_at,
    sum(p.hits) <= 1
        AND sum(p.engagements) = 0
        AND toUnixTimestamp64Milli(max(p.ended_at)) - toUnixTimestamp64Milli(min(p.started_at)) < 10000 AS is_bounce,
    min(p.entry_at) AS first_entry_at,
    argMin(p.entry_page, (p.entry_at, p.entry_page)) AS entry_page,
    max(p.exit_at) AS last_exit_at,
    argMax(p.exit_page, (p.exit_at, p.exit_page)) AS exit_page,
    min(p.address_at) AS first_address_at,
    argMin(p.address, (p.address_at, p.address)) AS address,
    argMin(p.referrer, p.touch_rank) AS referrer,
    argMin(p.referrer_url, p.touch_rank) AS referrer_url,
    argMin(p.ref, p.touch_rank) AS ref,
    argMin(p.utm_source, p.touch_rank) AS utm_source,
    argMin(p.utm_medium, p.touch_rank) AS utm_medium,
    argMin(p.utm_campaign, p.touch_rank) AS utm_campaign,
    argMin(p.utm_term, p.touch_rank) AS utm_term,
    argMin(p.utm_content, p.touch_rank) AS utm_content,
    argMin(p.channel, p.touch_rank) AS channel,
    argMin(p.origin, p.touch_rank) AS origin,
    argMin(p.pathname, p.touch_rank) AS pathname,
    argMin(p.builder_codes, p.touch_rank) AS builder_codes,
    argMin(p.device, p.touch_rank) AS device,
    argMin(p.browser, p.touch_rank) AS browser,
    argMin(p.os, p.touch_rank) AS os,
    argMin(p.location, p.touch_rank) AS location,
    argMin(p.rdns, p.touch_rank) AS rdns,
    argMin(p.provider_name, p.touch_rank) AS provider_name,
    argMin(p.chain_id, p.touch_rank) AS chain_id
FROM parts AS p
GROUP BY p.project_id, p.day, p.session
),
of_visitor AS
(
SELECT
    p.project_id AS project_id,
    p.day AS day,
    p.session AS session,
    p.visitor AS visitor,
    sum(p.hits) AS n_hits,
    sum(p.events) AS n_events,
    sum(p.engagements) AS n_engagements,
    groupUniqArrayArray(p.chains) AS own_chains,
    sum(p.revenue) AS sum_revenue,
    sum(p.volume) AS sum_volume,
    sum(p.points) AS sum_points
FROM parts AS p
GROUP BY p.project_id, p.day, p.session, p.visitor
)
SELECT
    v.project_id AS project_id,
    v.day AS day,
    v.session AS session,
    v.visitor AS visitor,
    v.visitor = s.first_visitor AS is_first,
    s.started_at AS started_at,
    s.ended_at AS ended_at,
    v.n_hits AS hits,
    v.n_events AS events,
    s.is_bounce AS is_bounce,
    s.entry_page AS entry_page,
    s.exit_page AS exit_page,
    s.address AS address,
    v.own_chains AS chains,
    v.sum_revenue AS revenue,
    v.sum_volume AS volume,
    v.sum_points AS points,
    s.referrer AS referrer,
    s.referrer_url AS referrer_url,
    s.ref AS ref,
    s.utm_source AS utm_source,
    s.utm_medium AS utm_medium,
    s.utm_campaign AS utm_campaign,
    s.utm_term AS utm_term,
    s.utm_content AS utm_content,
    s.channel AS channel,
    s.origin AS origin,
    s.pathname AS pathname,
    s.builder_codes AS builder_codes,
    s.device AS device,
    s.browser AS browser,
    s.os AS os,
    s.location AS location,
    s.rdns AS rdns,
    s.provider_name AS provider_name,
    s.chain_id AS chain_id,
    s.first_rank AS touch_rank,
    s.first_entry_at AS entry_at,
    s.last_exit_at AS exit_at,
    s.first_address_at AS address_at,
    v.n_engagements AS engagements
FROM of_visitor AS v
INNER JOIN of_session AS s ON s.project_id = v.project_id AND s.day = v.day AND s.session = v.session
)

-- A partition is materialized: what it is made of, its sessions and its rollups.

SELECT
    project_id,
    anyIf(dedupe_days, day = {day:Date}) AS own_dedupe_days,
    toString(anyIf(depends_on, day = {day:Date})) AS own_depends_on,
    any(now_ms - {settle_ms:Int64}) AS started_ms,
    any(now_ms) AS read_ms,
    groupArrayIf(revision, is_there AND day < {day:Date}) AS earlier
FROM (SELECT
    project_id,
    day,
    revision,
    dedupe_days,
    notEmpty(dedupe_days) AS is_there,
    earlier AS depends_on,
    now_ms,
    min(is_valid)
        OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS is_clean,
    max(dirty_ms)
        OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS last_dirty_ms,
    max(notEmpty(dedupe_days))
        OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS has_begun
FROM
(
    SELECT
        *,
        empty(dedupe_days)
            OR (revision > 0 AND dirty_ms < started_ms AND started_ms <= now_ms AND recorded_depends_on = earlier)
            AS is_valid
    FROM
    (
        SELECT
            *,
            toUnixTimestamp64Milli(now64(3)) AS now_ms,
            groupBitXor(if(revision = 0, 0, cityHash64(day, revision)))
                OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier
        FROM
        (
            SELECT
                toString(project_id) AS project_id,
                day,
                max(number) AS revision,
                max(marked_ms) AS dirty_ms,
                argMax(begun_ms, number) AS started_ms,
                argMax(depends, number) AS recorded_depends_on,
                groupUniqArrayIf(dedupe_day, number = 0) AS dedupe_days
            FROM
            (
                SELECT
                    project_id,
                    day,
                    dedupe_day,
                    toUInt64(0) AS number,
                    max(toUnixTimestamp64Milli(dirty_at)) OVER (PARTITION BY project_id, dedupe_day) AS marked_ms,
                    toInt64(0) AS begun_ms,
                    toUInt64(0) AS depends
                FROM dirty_partitions
                WHERE project_id IN {projects:Array(String)}
                UNION ALL
                SELECT
                    project_id, day, day AS dedupe_day, revision, toInt64(0), toUnixTimestamp64Milli(started_at), depends_on
                FROM revisions
                WHERE project_id IN {projects:Array(String)}
            )
            GROUP BY project_id, day
        )
    )
)
)
WHERE day <= {day:Date}
GROUP BY project_id
HAVING countIf(day = {day:Date} AND is_there AND NOT is_clean AND last_dirty_ms <= now_ms - {settle_ms:Int64}) = 1
    AND countIf(day < {day:Date} AND NOT is_clean) = 0

INSERT INTO session_rows (project_id, day, session, visitor, is_first, started_at, ended_at, hits, events, is_bounce, entry_page, exit_page, address, chains, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id, revision)
SELECT project_id, day, session, visitor, is_first, started_at, ended_at, hits, events, is_bounce, entry_page, exit_page, address, chains, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id, {revision:UInt64}
FROM (
WITH parts AS
(
SELECT
    e.project_id AS project_id,
    e.day AS day,
    e.session AS session,
    e.visitor AS visitor,
    if(e.has_touch = 0, toUInt64(9223372036854775808), toUInt64(0))
        + toUInt64(toUnixTimestamp64Milli(e.timestamp)) * 1048576
        + e.dedupe_key % 1048576 AS touch_rank,
    e.timestamp AS started_at,
    e.timestamp AS ended_at,
    if(e.type = 'page', 1, 0) AS hits,
    1 AS events,
    if(e.type IN ('connect', 'transaction', 'track', 'decoded_log'), 1, 0) AS engagements,
    if(e.type = 'page', e.timestamp, fromUnixTimestamp64Milli(toInt64(4102444800000))) AS entry_at,
    if(e.type = 'page', e.pathname, '') AS entry_page,
    if(e.type = 'page', e.timestamp, fromUnixTimestamp64Milli(toInt64(0))) AS exit_at,
    if(e.type = 'page', e.pathname, '') AS exit_page,
    if(e.address != '', e.timestamp, fromUnixTimestamp64Milli(toInt64(4102444800000))) AS address_at,
    e.address AS address,
    if(e.chain_id = '', [], [e.chain_id]) AS chains,
    toInt128(floor(e.revenue * 1e9 + 0.5)) AS revenue,
    toInt128(floor(e.volume * 1e9 + 0.5)) AS volume,
    toInt128(floor(e.points * 1e9 + 0.5)) AS points,
    e.referrer AS referrer,
    e.referrer_url AS referrer_url,
    e.ref AS ref,
    e.utm_source AS utm_source,
    e.utm_medium AS utm_medium,
    e.utm_campaign AS utm_campaign,
    e.utm_term AS utm_term,
    e.utm_content AS utm_content,
    e.acquisition AS channel,
    e.origin AS origin,
    e.pathname AS pathname,
    e.builder_codes AS builder_codes,
    e.device AS device,
    e.browser AS browser,
    e.os AS os,
    e.location AS location,
    e.rdns AS rdns,
    e.provider_name AS provider_name,
    e.chain_id AS chain_id
FROM (SELECT * FROM events_rows FINAL
    WHERE project_id = {project:String} AND day = {day:Date} AND dedupe_day IN {dedupe_days:Array(Date)}) AS e
),
of_session AS
(
SELECT
    p.project_id AS project_id,
    p.day AS day,
    p.session AS session,
    min(p.touch_rank) AS first_rank,
    argMin(p.visitor, p.touch_rank) AS first_visitor,
    min(p.started_at) AS started_at,
    max(p.ended_at) AS ended_at,
    sum(p.hits) <= 1
        AND sum(p.engagements) = 0
        AND toUnixTimestamp64Milli(max(p.ended_at)) - toUnixTimestamp64Milli(min(p.started_at)) < 10000 AS is_bounce,
    min(p.entry_at) AS first_entry_at,
    argMin(p.entry_page, (p.entry_at, p.entry_page)) AS entry_page,
    max(p.exit_at) AS last_exit_at,
    argMax(p.exit_page, (p.exit_at, p.exit_page)) AS exit_page,
    min(p.address_at) AS first_address_at,
    argMin(p.address, (p.address_at, p.address)) AS address,
    argMin(p.referrer, p.touch_rank) AS referrer,
    argMin(p.referrer_url, p.touch_rank) AS referrer_url,
    argMin(p.ref, p.touch_rank) AS ref,
    argMin(p.utm_source, p.touch_rank) AS utm_source,
    argMin(p.utm_medium, p.touch_rank) AS utm_medium,
    argMin(p.utm_campaign, p.touch_rank) AS utm_campaign,
    argMin(p.utm_term, p.touch_rank) AS utm_term,
    argMin(p.utm_content, p.touch_rank) AS utm_content,
    argMin(p.channel, p.touch_rank) AS channel,
    argMin(p.origin, p.touch_rank) AS origin,
    argMin(p.pathname, p.touch_rank) AS pathname,
    argMin(p.builder_codes, p.touch_rank) AS builder_codes,
    argMin(p.device, p.touch_rank) AS device,
    argMin(p.browser, p.touch_rank) AS browser,
    argMin(p.os, p.touch_rank) AS os,
    argMin(p.location, p.touch_rank) AS location,
    argMin(p.rdns, p.touch_rank) AS rdns,
    argMin(p.provider_name, p.touch_rank) AS provider_name,
    argMin(p.chain_id, p.touch_rank) AS chain_id
FROM parts AS p
GROUP BY p.project_id, p.day, p.session
),
of_visitor AS
(
SELECT
    p.project_id AS project_id,
    p.day AS day,
    p.session AS session,
    p.visitor AS visitor,
    sum(p.hits) AS n_hits,
    sum(p.events) AS n_events,
    sum(p.engagements) AS n_engagements,
    groupUniqArrayArray(p.chains) AS own_chains,
    sum(p.revenue) AS sum_revenue,
    sum(p.volume) AS sum_volume,
    sum(p.points) AS sum_points
FROM parts AS p
GROUP BY p.project_id, p.day, p.session, p.visitor
)
SELECT
    v.project_id AS project_id,
    v.day AS day,
    v.session AS session,
    v.visitor AS visitor,
    v.visitor = s.first_visitor AS is_first,
    s.started_at AS started_at,
    s.ended_at AS ended_at,
    v.n_hits AS hits,
    v.n_events AS events,
    s.is_bounce AS is_bounce,
    s.entry_page AS entry_page,
    s.exit_page AS exit_page,
    s.address AS address,
    v.own_chains AS chains,
    v.sum_revenue AS revenue,
    v.sum_volume AS volume,
    v.sum_points AS points,
    s.referrer AS referrer,
    s.referrer_url AS referrer_url,
    s.ref AS ref,
    s.utm_source AS utm_source,
    s.utm_medium AS utm_medium,
    s.utm_campaign AS utm_campaign,
    s.utm_term AS utm_term,
    s.utm_content AS utm_content,
    s.channel AS channel,
    s.origin AS origin,
    s.pathname AS pathname,
    s.builder_codes AS builder_codes,
    s.device AS device,
    s.browser AS browser,
    s.os AS os,
    s.location AS location,
    s.rdns AS rdns,
    s.provider_name AS provider_name,
    s.chain_id AS chain_id,
    s.first_rank AS touch_rank,
    s.first_entry_at AS entry_at,
    s.last_exit_at AS exit_at,
    s.first_address_at AS address_at,
    v.n_engagements AS engagements
FROM of_visitor AS v
INNER JOIN of_session AS s ON s.project_id = v.project_id AND s.day = v.day AND s.session = v.session
)

INSERT INTO rollup_rows (project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, revision)
WITH events AS
(
SELECT * FROM events_rows FINAL
WHERE project_id = {project:String} AND day = {day:Date} AND dedupe_day IN {dedupe_days:Array(Date)}
),
sessions AS
(
SELECT project_id, day, session, visitor, is_first, started_at, ended_at, hits, events, is_bounce, entry_page, exit_page, address, chains, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id
FROM session_rows WHERE project_id = {project:String} AND day <= {day:Date} AND revision IN {revisions:Array(UInt64)}
)
SELECT project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, {revision:UInt64}
FROM (
SELECT
    {project:String} AS project_id,
    {day:Date} AS day,
    dimension,
    value,
    seen_before,
    sum(own_hits) AS hits,
    sum(own_sessions) AS sessions,
    count() AS visitors,
    toInt128(0) AS revenue
FROM
(
    SELECT
        dimension,
        value,
        visitor,
        sumIf(visit_hits, visit_day = {day:Date}) AS own_hits,
        sumIf(visit_sessions, visit_day = {day:Date}) AS own_sessions,
        max(if(visit_day < {day:Date}, visit_day + 1, toDate('1970-01-01'))) AS seen_before
    FROM
    (
        SELECT
            visitor, visit_day, visit_hits, visit_sessions, ['referrer', 'referrer_url', 'ref', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content', 'origin', 'device', 'browser', 'os', 'channel'][nth] AS dimension, touch[nth] AS value
        FROM
        (
            SELECT
                v.visitor AS visitor,
                v.day AS visit_day,
                v.hits AS visit_hits,
                if(v.is_first, 1, 0) AS visit_sessions,
                [if(v.referrer = '', 'Direct', v.referrer),
                v.referrer_url,
                v.ref,
                v.utm_source,
                v.utm_medium,
                v.utm_campaign,
                v.utm_term,
                v.utm_content,
                v.origin,
                v.device,
                v.browser,
                v.os,
                v.channel] AS touch,
                unnest([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]) AS nth
            FROM sessions AS v
            WHERE v.project_id = {project:String}
                AND v.day <= {day:Date}
                AND v.visitor % {slices:UInt64} = {slice:UInt64}
                AND v.visitor IN (SELECT visitor FROM sessions WHERE project_id = {project:String} AND day = {day:Date})
        ) AS visits
    ) AS touches
    GROUP BY dimension, value, visitor
    HAVING max(visit_day) = {day:Date}
) AS of_visitors
GROUP BY dimension, value, seen_before

)

INSERT INTO rollup_rows (project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, revision)
WITH events AS
(
SELECT * FROM events_rows FINAL
WHERE project_id = {project:String} AND day = {day:Date} AND dedupe_day IN {dedupe_days:Array(Date)}
),
sessions AS
(
SELECT project_id, day, session, visitor, is_first, started_at, ended_at, hits, events, is_bounce, entry_page, exit_page, address, chains, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id
FROM session_rows WHERE project_id = {project:String} AND day <= {day:Date} AND revision IN {revisions:Array(UInt64)}
)
SELECT project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, {revision:UInt64}
FROM (
WITH
    visits AS
    (
        SELECT v.session AS session, v.visitor AS visitor, v.day AS visit_day, unnest(v.chains) AS chain
        FROM sessions AS v
        WHERE v.project_id = {project:String}
            AND v.day <= {day:Date}
            AND v.visitor IN
            (
                SELECT visitor FROM sessions
                WHERE project_id = {project:String} AND day = {day:Date} AND notEmpty(chains)
            )
    )
SELECT
    {project:String} AS project_id,
    {day:Date} AS day,
    'chain_id' AS dimension,
    chain AS value,
    toDate('1970-01-01') AS seen_before,
    toInt64(0) AS hits,
    uniqExact(session) AS sessions,
    toInt64(0) AS visitors,
    toInt128(0) AS revenue
FROM visits
WHERE visit_day = {day:Date} AND session % {slices:UInt64} = {slice:UInt64}
GROUP BY chain
UNION ALL
SELECT {project:String}, {day:Date}, 'chain_id', chain, seen_before, toInt64(0), toInt64(0), count(), toInt128(0)
FROM
(
    SELECT chain, visitor, max(if(visit_day < {day:Date}, visit_day + 1, toDate('1970-01-01'))) AS seen_before
    FROM visits
    WHERE visitor % {slices:UInt64} = {slice:UInt64}
    GROUP BY chain, visitor
    HAVING max(visit_day) = {day:Date}
) AS of_visitors
GROUP BY chain, seen_before

)

INSERT INTO rollup_rows (project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, revision)
WITH events AS
(
SELECT * FROM events_rows FINAL
WHERE project_id = {project:String} AND day = {day:Date} AND dedupe_day IN {dedupe_days:Array(Date)}
),
sessions AS
(
SELECT project_id, day, session, visitor, is_first, started_at, ended_at, hits, events, is_bounce, entry_page, exit_page, address, chains, revenue, volume, points, referrer, referrer_url, ref, utm_source, utm_medium, utm_campaign, utm_term, utm_content, channel, origin, pathname, builder_codes, device, browser, os, location, rdns, provider_name, chain_id
FROM session_rows WHERE project_id = {project:String} AND day <= {day:Date} AND revision IN {revisions:Array(UInt64)}
)
SELECT project_id, day, dimension, value, seen_before, hits, sessions, visitors, revenue, {revision:UInt64}
FROM (
SELECT
    {project:String} AS project_id,
    {day:Date} AS day,
    dimension,
    value,
    toDate('1970-01-01') AS seen_before,
    count() AS hits,
    toInt64(0) AS sessions,
    toInt64(0) AS visitors,
    sum(amount) AS revenue
FROM
(
    SELECT ['revenue pathname', 'revenue origin', 'revenue channel', 'revenue referrer', 'revenue referrer_url', 'revenue ref', 'revenue utm_source', 'revenue utm_medium', 'revenue utm_campaign', 'revenue utm_content', 'revenue utm_term', 'revenue builder_codes', 'revenue location', 'revenue device', 'revenue browser', 'revenue os', 'revenue rdns', 'revenue provider_name', 'revenue chain_id', 'revenue event'][nth] AS dimension, resolved[nth] AS value, amount
    FROM
    (
        SELECT
            toInt128(floor(e.revenue * 1e9 + 0.5)) AS amount,
            [multiIf(e.pathname != '', e.pathname, (e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != ''), '', s.pathname),
                multiIf(e.origin != '', e.origin, (e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != ''), '', s.origin),
                if((e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != ''), e.acquisition, s.channel),
                if(if((e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != ''), e.referrer, s.referrer) = '', 'Direct', if((e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != ''), e.referrer, s.referrer)),
                if((e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != ''), e.referrer_url, s.referrer_url),
                if((e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != ''), e.ref, s.ref),
                if((e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != ''), e.utm_source, s.utm_source),
                if((e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != ''), e.utm_medium, s.utm_medium),
                if((e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != ''), e.utm_campaign, s.utm_campaign),
                if((e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != ''), e.utm_content, s.utm_content),
                if((e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != ''), e.utm_term, s.utm_term),
                multiIf(e.builder_codes != '', e.builder_codes, (e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != ''), '', s.builder_codes),
                if(e.location != '', e.location, s.location),
                if(e.device != '', e.device, s.device),
                if(e.browser != '', e.browser, s.browser),
                if(e.os != '', e.os, s.os),
                if(e.rdns != '', e.rdns, s.rdns),
                if(e.provider_name != '', e.provider_name, s.provider_name),
                if(e.chain_id != '', e.chain_id, s.chain_id),
                e.event] AS resolved,
            unnest([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]) AS nth
        FROM events AS e
        INNER JOIN sessions AS s ON s.project_id = e.project_id AND s.day = e.day AND s.session = e.session
        WHERE e.project_id = {project:String} AND e.day = {day:Date}
            AND e.revenue != 0 AND e.session % {slices:UInt64} = {slice:UInt64}
            AND s.project_id = {project:String} AND s.day = {day:Date} AND s.is_first
    ) AS paid
) AS amounts
GROUP BY dimension, value

)
