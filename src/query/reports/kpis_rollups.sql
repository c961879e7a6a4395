-- Key figures from rollups. What is not rolled up is `chosen` (kpis_sessions.sql); top_sources.sql explains how visitors
-- and wallets of both are combined.

-- name: clean
SELECT
    r.project_id AS project_id,
    '' AS value,
    {bucket:Expression} AS bucket,
    r.sessions AS n_sessions,
    r.sessions AS n_entries,
    r.bounces AS n_bounces,
    r.active_ms AS n_active_ms,
    r.hits AS n_pageviews,
    r.transactions AS n_transactions,
    r.revenue AS n_revenue,
    r.volume AS n_volume,
    if({is_new:Condition}, r.visitors, 0) AS n_visitors
FROM rollups AS r {r:InScope}
WHERE {r:CleanDays} AND r.dimension = 'total'

-- name: clean_window
SELECT r.project_id AS project_id, '' AS value, toInt64(-1) AS bucket, r.visitors AS n_visitors
FROM rollups AS r {r:InScope}
WHERE {r:CleanDays} AND r.dimension = 'total'
    AND r.seen_before <= s.first_day

-- name: clean_wallets
SELECT r.project_id AS project_id, '' AS value, {bucket:Expression} AS bucket, r.visitors AS n_wallets
FROM rollups AS r {r:InScope}
WHERE {r:CleanDays} AND r.dimension = 'wallet'
    AND {is_new:Condition}

-- name: open_visitors
-- Those that open sessions add to what is rolled up of their bucket, or take from it. Every weight is 1 or -1: where the
-- list of visitors has a condition, DuckDB drops other sessions while it reads them (72 instead of 88 ms of processor with
-- 376,000 sessions).
SELECT project_id, value, bucket, toInt64(sum(is_now - is_rolled_up)) AS n_visitors
FROM
(
    SELECT
        project_id,
        '' AS value,
        bucket,
        visitor,
        max(if(weight < 0, 0, 1)) AS is_now,
        max(if(weight > 0, 0, 1)) AS is_rolled_up
    FROM
    (
        SELECT v.project_id AS project_id, {bucket:Expression} AS bucket, v.visitor AS visitor, v.weight AS weight
        FROM chosen AS v
        UNION ALL
        SELECT v.project_id AS project_id, {bucket:Expression} AS bucket, v.visitor AS visitor, 0 AS weight
        FROM sessions AS v {v:InScope}
        WHERE {v:KeptWindow}
            AND {settled:Condition}
            AND {bots:Condition}
            AND v.visitor IN (SELECT visitor FROM chosen WHERE weight != 0)
    ) AS visits
    GROUP BY project_id, bucket, visitor
) AS visitors
GROUP BY project_id, value, bucket

-- name: listed_wallets
SELECT v.project_id AS project_id, v.day AS day, arrayJoin(v.addresses) AS address, v.weight AS weight
FROM chosen AS v
WHERE notEmpty(v.addresses)

-- name: open_wallets
-- As `open_visitors`. Only wallets of open sessions are looked for: without any, no session is read.
SELECT project_id, value, bucket, toInt64(sum(is_now - is_rolled_up)) AS n_wallets
FROM
(
    SELECT
        project_id,
        '' AS value,
        bucket,
        address,
        max(if(weight < 0, 0, 1)) AS is_now,
        max(if(weight > 0, 0, 1)) AS is_rolled_up
    FROM
    (
        SELECT v.project_id AS project_id, {bucket:Expression} AS bucket, v.address AS address, v.weight AS weight
        FROM listed_wallets AS v
        UNION ALL
        SELECT project_id, bucket, address, weight
        FROM
        (
            SELECT
                v.project_id AS project_id,
                {bucket:Expression} AS bucket,
                arrayJoin(v.addresses) AS address,
                0 AS weight
            FROM sessions AS v {v:InScope}
            WHERE {v:KeptWindow}
                AND {settled:Condition}
                AND {bots:Condition}
                AND notEmpty(v.addresses)
        ) AS listed
        WHERE address IN (SELECT address FROM listed_wallets)
    ) AS visits
    GROUP BY project_id, bucket, address
) AS wallets
GROUP BY project_id, value, bucket

-- name: open_hours_counted
-- Events of hours that are not rolled up.
SELECT
    e.project_id AS project_id,
    '' AS value,
    {bucket:Expression} AS bucket,
    sum(if(e.type = 'page', 1, 0)) AS n_pageviews,
    sum({is_transaction:Expression}) AS n_transactions,
    sum(toInt128(floor(e.revenue * 1e9 + 0.5))) AS n_revenue,
    sum(toInt128(floor(e.volume * 1e9 + 0.5))) AS n_volume,
    uniqExact(e.session) AS n_sessions,
    uniqExact(e.visitor) AS n_visitors,
    uniqExact(if(e.address = '', NULL, e.address)) AS n_wallets
FROM open_hours AS e {e:InScope}
WHERE {e:DirtyWindow}
    AND {is_counted:Condition}
GROUP BY e.project_id, bucket

-- name: clean_hours
SELECT
    r.project_id AS project_id,
    '' AS value,
    {bucket:Expression} AS bucket,
    r.sessions AS n_sessions,
    r.hits AS n_pageviews,
    r.transactions AS n_transactions,
    r.revenue AS n_revenue,
    r.volume AS n_volume,
    r.visitors AS n_visitors
FROM rollups AS r {r:InScope}
WHERE {r:CleanDays} AND r.dimension = 'hour'

-- name: clean_hour_entries
SELECT
    r.project_id AS project_id,
    '' AS value,
    {bucket:Expression} AS bucket,
    r.sessions AS n_entries,
    r.bounces AS n_bounces,
    r.active_ms AS n_active_ms
FROM rollups AS r {r:InScope}
WHERE {r:CleanDays} AND r.dimension = 'hour started'

-- name: clean_hour_wallets
SELECT r.project_id AS project_id, '' AS value, {bucket:Expression} AS bucket, r.visitors AS n_wallets
FROM rollups AS r {r:InScope}
WHERE {r:CleanDays} AND r.dimension = 'hour wallets'

-- name: imported
-- Sums of days that another product counted. Its visitors are those of each day: nobody knows who came twice.
SELECT
    i.project_id AS project_id,
    i.value AS value,
    {bucket:Expression} AS bucket,
    i.visits AS n_sessions,
    i.visits AS n_entries,
    i.bounces AS n_bounces,
    i.duration_ms AS n_active_ms,
    i.pageviews AS n_pageviews,
    i.visitors AS n_visitors
FROM imported_days AS i {i:InScope}
WHERE {i:KeptWindow}
    AND {imported:Condition}
