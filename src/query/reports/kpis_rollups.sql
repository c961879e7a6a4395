-- Key figures of clean partitions from rollups. Dirty partitions are `chosen` (kpis_sessions.sql); a visitor or wallet of
-- a dirty partition does not count again in a bucket in which a clean partition already counts it.

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

-- name: known_visitors
SELECT project_id, value, bucket, 0 - toInt64(count()) AS n_visitors
FROM
(
    SELECT DISTINCT v.project_id AS project_id, '' AS value, {bucket:Expression} AS bucket, v.visitor AS visitor
    FROM sessions AS v {v:InScope}
    WHERE {v:CleanWindow}
        AND {bots:Condition}
        AND v.visitor IN (SELECT visitor FROM chosen)
) AS known
WHERE (project_id, bucket, visitor) IN (SELECT v.project_id, {bucket:Expression}, v.visitor FROM chosen AS v)
GROUP BY project_id, value, bucket

-- name: dirty_wallets
SELECT v.project_id AS project_id, v.day AS day, arrayJoin(v.addresses) AS address
FROM chosen AS v
WHERE notEmpty(v.addresses)

-- name: known_wallets
-- Only wallets of dirty partitions are looked for: without any, no session is read.
SELECT project_id, value, bucket, 0 - toInt64(count()) AS n_wallets
FROM
(
    SELECT DISTINCT project_id, '' AS value, bucket, address
    FROM
    (
        SELECT v.project_id AS project_id, {bucket:Expression} AS bucket, arrayJoin(v.addresses) AS address
        FROM sessions AS v {v:InScope}
        WHERE {v:CleanWindow}
            AND {bots:Condition}
            AND notEmpty(v.addresses)
    ) AS listed
    WHERE address IN (SELECT address FROM dirty_wallets)
) AS known
WHERE (project_id, bucket, address) IN (SELECT v.project_id, {bucket:Expression}, v.address FROM dirty_wallets AS v)
GROUP BY project_id, value, bucket

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
