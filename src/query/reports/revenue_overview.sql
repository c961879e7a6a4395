-- Revenue and volume by time, by a column of the event, or of its session's first touch if the event has no value of its
-- own. Amounts are added as integer billionths.

-- name: clean_total
SELECT r.project_id AS project_id, '' AS value, {bucket:Expression} AS bucket, r.revenue AS n_revenue, r.volume AS n_volume
FROM rollups AS r {r:InScope}
WHERE {r:CleanDays} AND r.dimension = 'total'

-- name: dirty_total
SELECT v.project_id AS project_id, '' AS value, {bucket:Expression} AS bucket, v.weight * v.revenue AS n_revenue, v.weight * v.volume AS n_volume
FROM open_sessions AS v {v:InScope}
WHERE {v:DirtyWindow}

-- name: clean_amounts
-- As `clean_total`, from the amounts by a column. The total adds up sessions: without bots it lacks what a bot's session
-- earned with another device, and has what another session earned with a bot's. The dimensions are given twice: DuckDB
-- skips row groups by a list in round brackets, and rows while it reads them by one in square brackets (30 and 19 ms).
SELECT r.project_id AS project_id, '' AS value, {bucket:Expression} AS bucket, r.revenue AS n_revenue, r.volume AS n_volume
FROM rollups AS r {r:InScope}
WHERE {r:CleanDays} AND r.dimension IN ({revenue_dimension:String}, {volume_dimension:String}) AND r.dimension IN {dimensions:Array(String)}

-- name: clean_groups
SELECT r.project_id AS project_id, r.value AS value, {bucket:Expression} AS bucket, r.revenue AS n_revenue, r.volume AS n_volume
FROM rollups AS r {r:InScope}
WHERE {r:CleanDays} AND r.dimension IN ({revenue_dimension:String}, {volume_dimension:String}) AND r.dimension IN {dimensions:Array(String)}

-- name: paid
-- Events with revenue or volume. Few events have any: they are the right side of the join, from which the hash table is
-- built.
SELECT
    e.project_id AS project_id,
    {value:Expression} AS value,
    {bucket:Expression} AS bucket,
    toInt128(floor(e.revenue * 1e9 + 0.5)) AS n_revenue,
    toInt128(floor(e.volume * 1e9 + 0.5)) AS n_volume
FROM sessions AS s
INNER JOIN scope AS p ON p.project_id = s.project_id
INNER JOIN
(
    SELECT e.*
    FROM {from:Relation} AS e
    INNER JOIN (SELECT project_id AS scope_project, dirty_from FROM scope) AS p ON p.scope_project = e.project_id
    WHERE {e:Window}
        AND {read:Condition}
        AND (e.revenue != 0 OR e.volume != 0)
        AND {event_filter:Condition}
) AS e ON e.project_id = s.project_id AND e.day = s.day AND e.session = s.session
WHERE {s:Window}
    AND s.day >= p.first_day
    AND s.is_first
    AND {bots:Condition}
    AND {session_filter:Condition}

-- name: totals
SELECT
    project_id,
    value,
    bucket,
    sum(n_revenue) AS revenue_amount,
    sum(n_volume) AS volume_amount,
    toFloat64(sum(n_revenue)) / 1e9 AS revenue,
    toFloat64(sum(n_volume)) / 1e9 AS volume
FROM
(
    SELECT project_id, value, bucket, n_revenue, n_volume FROM {clean:Relation}
    UNION ALL
    SELECT project_id, value, bucket, n_revenue, n_volume FROM {dirty:Relation}
) AS every
GROUP BY project_id, value, bucket

-- name: totals_of_paid
SELECT
    project_id,
    value,
    bucket,
    sum(n_revenue) AS revenue_amount,
    sum(n_volume) AS volume_amount,
    toFloat64(sum(n_revenue)) / 1e9 AS revenue,
    toFloat64(sum(n_volume)) / 1e9 AS volume
FROM paid
GROUP BY project_id, value, bucket
