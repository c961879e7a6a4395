WITH scope AS
(
SELECT
    p.project_id AS project_id,
    greatest(p.first_day, coalesce(r.removed_before, p.first_day)) AS first_day,
    if(
        r.without_bots = (p.project_id IN CAST([] AS VARCHAR[])), r.clean_through, DATE '1969-12-31'
    ) + 1 AS dirty_from,
    coalesce(t.day, DATE '9999-12-31') AS running_day,
    coalesce(t.received_to, TIMESTAMP_MS '1900-01-01') AS received_to,
    coalesce(t.hours_to, TIMESTAMP_MS '1900-01-01') AS hours_to
FROM
(
    SELECT unnest(CAST($scope_projects AS VARCHAR[])) AS project_id, unnest(CAST($scope_first_days AS DATE[])) AS first_day
) AS p
LEFT JOIN rollup_state AS r ON r.project_id = p.project_id
LEFT JOIN running_days AS t ON t.project_id = p.project_id
    AND t.day > coalesce(r.clean_through, DATE '1969-12-31')
    AND t.without_bots = (p.project_id IN CAST([] AS VARCHAR[]))
    AND t.without_bots = coalesce(r.without_bots, t.without_bots)
),
paid AS
(
SELECT
    e.project_id AS project_id,
    '' AS value,
    toInt64(e.day - CAST($first_day AS DATE)) AS bucket,
    toInt128(floor(e.revenue * 1e9 + 0.5)) AS n_revenue,
    toInt128(floor(e.volume * 1e9 + 0.5)) AS n_volume
FROM sessions AS s
INNER JOIN scope AS p ON p.project_id = s.project_id
INNER JOIN
(
    SELECT e.*
    FROM events AS e
    INNER JOIN (SELECT project_id AS scope_project, dirty_from FROM scope) AS p ON p.scope_project = e.project_id
    WHERE e.project_id IN CAST($projects AS VARCHAR[])
        AND e.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
        AND 1 = 1
        AND (e.revenue != 0 OR e.volume != 0)
        AND 1 = 1
) AS e ON e.project_id = s.project_id AND e.day = s.day AND e.session = s.session
WHERE s.project_id IN CAST($projects AS VARCHAR[])
    AND s.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND s.day >= p.first_day
    AND s.is_first
    AND 1 = 1
    AND (if(e.device != '', e.device, s.device) = CAST($s0 AS VARCHAR))
),
totals AS
(
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
),
counts AS
(
SELECT t.*, 1 AS place
FROM totals AS t
)
SELECT project_id, value, bucket, place, revenue, volume
FROM counts
ORDER BY project_id, place, bucket
-- first_day, last_day, projects, s0, scope_first_days, scope_projects
