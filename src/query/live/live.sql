-- The last minutes. ClickHouse computes a CTE again wherever it is read: sessions are joined once, unless a condition is
-- about them.

-- name: hits
-- The events of the window that match the filters of events.
SELECT
    e.project_id AS project_id,
    e.day AS day,
    e.session AS session,
    e.visitor AS visitor,
    nullIf(e.address, '') AS wallet,
    if(e.type = 'page', 1, 0) AS is_page,
    e.chain_id AS chain_id,
    e.pathname AS pathname,
    e.origin AS origin,
    toUnixTimestamp64Milli(e.timestamp) AS at_ms
FROM events AS e
WHERE {e:Window}
    AND e.timestamp >= fromUnixTimestamp64Milli({from_ms:Int64})
    AND e.timestamp < fromUnixTimestamp64Milli({to_ms:Int64})
    AND {event_filter:Condition}

-- name: seen
-- Those whose sessions match the other filters, with the first touch. They are few: they are the right side of the join,
-- from which the hash table is built. A session that ended before the window has none of them.
SELECT
    h.project_id AS project_id,
    h.session AS session,
    h.visitor AS visitor,
    h.wallet AS wallet,
    h.is_page AS is_page,
    h.chain_id AS chain_id,
    h.pathname AS pathname,
    h.origin AS origin,
    h.at_ms AS at_ms,
    {source:Expression} AS source,
    v.location AS country
FROM sessions AS v
INNER JOIN hits AS h ON h.project_id = v.project_id AND h.day = v.day AND h.session = v.session
WHERE {v:Window}
    AND v.is_first
    AND v.ended_at >= fromUnixTimestamp64Milli({from_ms:Int64})
    AND {bots:Condition}
    AND {session_filter:Condition}

-- name: now
SELECT coalesce(sum(n_live), 0) AS live_visitors, coalesce(sum(n_events), 0) AS events_per_minute
FROM
(
    SELECT
        project_id,
        uniqExact(if(is_page = 1 AND at_ms >= {live_ms:Int64}, session, NULL)) AS n_live,
        sum(if(at_ms >= {minute_ms:Int64}, 1, 0)) AS n_events
    FROM {counted:Relation}
    GROUP BY project_id
) AS of_projects

-- name: minutes
SELECT
    project_id,
    'minute' AS dimension,
    toString(minute) AS value,
    '' AS detail,
    uniqExact(visitor) AS n_visitors,
    uniqExact(session) AS n_sessions,
    uniqExact(wallet) AS n_wallets,
    count() AS n_events,
    sum(is_page) AS n_page_views,
    0 AS n_live
FROM
(
    SELECT
        project_id, visitor, session, wallet, is_page, toInt64(floor((at_ms - {from_ms:Int64}) / 60000)) AS minute
    FROM {counted:Relation}
) AS hits_of_minutes
GROUP BY project_id, minute

-- name: places
-- Page views by page, and events by chain.
SELECT
    project_id,
    if(nth = 1, 'page', 'chain') AS dimension,
    if(nth = 1, pathname, chain_id) AS value,
    if(nth = 1, origin, '') AS detail,
    uniqExact(visitor) AS n_visitors,
    uniqExact(session) AS n_sessions,
    uniqExact(wallet) AS n_wallets,
    count() AS n_events,
    sum(is_page) AS n_page_views,
    0 AS n_live
FROM (SELECT *, arrayJoin([1, 2]) AS nth FROM {counted:Relation}) AS twice
WHERE (nth = 1 AND is_page = 1) OR (nth = 2 AND chain_id != '')
GROUP BY project_id, dimension, value, detail

-- name: visits
-- First by session: the rest counts 27,000 rows instead of 100,000.
SELECT
    project_id,
    session,
    visitor,
    wallet,
    source,
    country,
    max(if(is_page = 1 AND at_ms >= {live_ms:Int64}, 1, 0)) AS is_live,
    count() AS visit_events,
    sum(is_page) AS visit_page_views
FROM seen
GROUP BY project_id, session, visitor, wallet, source, country

-- name: touches
SELECT
    project_id,
    ['total', 'country', 'source'][nth] AS dimension,
    ['', country, source][nth] AS value,
    '' AS detail,
    uniqExact(visitor) AS n_visitors,
    uniqExact(session) AS n_sessions,
    uniqExact(wallet) AS n_wallets,
    sum(visit_events) AS n_events,
    sum(visit_page_views) AS n_page_views,
    uniqExact(if(is_live = 1, session, NULL)) AS n_live
FROM (SELECT *, arrayJoin([1, 2, 3]) AS nth FROM visits) AS thrice
GROUP BY project_id, dimension, value

-- name: ranked
-- Visitors count within each project, as in reports.
SELECT
    dimension,
    value,
    detail,
    visitors,
    sessions,
    wallets,
    events,
    page_views,
    live,
    row_number() OVER (
        PARTITION BY dimension ORDER BY visitors DESC, sessions DESC, page_views DESC, value, detail
    ) AS place
FROM
(
    SELECT
        dimension,
        value,
        detail,
        sum(n_visitors) AS visitors,
        sum(n_sessions) AS sessions,
        sum(n_wallets) AS wallets,
        sum(n_events) AS events,
        sum(n_page_views) AS page_views,
        sum(n_live) AS live
    FROM
    (
        SELECT * FROM minutes
        UNION ALL
        SELECT * FROM places
        UNION ALL
        SELECT * FROM touches
    ) AS dimensions
    GROUP BY dimension, value, detail
) AS added

-- name: answer
SELECT dimension, value, detail, visitors, sessions, wallets, events, page_views, live
FROM ranked
WHERE place <= {rows:UInt32} OR dimension = 'minute'
ORDER BY dimension, place
