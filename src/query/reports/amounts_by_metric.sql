-- Revenue by a column of the event, or of its session's first touch if the event has no value of its own. Amounts are
-- added as integer billionths: sums are exact to 9 decimals in any order. top_sources.sql explains how clean and dirty
-- partitions are combined. The join below `e.*` has no name in common with `events`: ClickHouse would name such a column
-- `e.project_id` instead of `project_id`.

-- name: clean
SELECT r.project_id AS project_id, r.value AS value, {rollup_amount:Expression} AS amount
FROM rollups AS r {r:InScope}
WHERE {r:CleanDays} AND r.dimension = {dimension:String}

-- name: dirty
SELECT e.project_id AS project_id, {value:Expression} AS value, toInt128(floor({amount:Expression} * 1e9 + 0.5)) AS amount
FROM sessions AS s
INNER JOIN scope AS p ON p.project_id = s.project_id
INNER JOIN
(
    SELECT e.*
    FROM open_events AS e
    INNER JOIN (SELECT project_id AS scope_project, dirty_from FROM scope) AS p ON p.scope_project = e.project_id
    WHERE {e:Window}
        AND e.day >= p.dirty_from
        AND {amount:Expression} != 0
) AS e ON e.project_id = s.project_id AND e.day = s.day AND e.session = s.session
WHERE {s:Window}
    AND s.day >= p.first_day
    AND s.day >= p.dirty_from
    AND s.is_first
    AND {bots:Condition}

-- name: counts
SELECT project_id, value, toFloat64(sum(amount)) / 1e9 AS sum_amount
FROM
(
    SELECT project_id, value, amount FROM clean
    UNION ALL
    SELECT project_id, value, amount FROM dirty
) AS every
WHERE {kept:Condition}
GROUP BY project_id, value
