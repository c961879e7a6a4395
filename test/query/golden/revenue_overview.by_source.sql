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
open_events AS
(
SELECT e.* FROM main.events AS e
INNER JOIN scope AS o ON o.project_id = e.project_id
WHERE e.project_id IN CAST($scope_projects AS VARCHAR[])
    AND e.received_at > o.received_to AND e.day BETWEEN CAST($scope_first_day AS DATE) AND CAST($scope_last_day AS DATE)
UNION ALL
SELECT e.* FROM main.events AS e
INNER JOIN scope AS o ON o.project_id = e.project_id
WHERE e.project_id IN CAST($scope_projects AS VARCHAR[])
    AND e.received_at <= o.received_to AND e.day > o.running_day
    AND e.day BETWEEN CAST($scope_first_day AS DATE) AND CAST($scope_last_day AS DATE)
),
clean_groups AS
(
SELECT r.project_id AS project_id, r.value AS value, toInt64(r.day - CAST($first_day AS DATE)) AS bucket, r.revenue AS n_revenue, r.volume AS n_volume
FROM rollups AS r
INNER JOIN scope AS s ON s.project_id = r.project_id
WHERE r.project_id IN CAST($projects AS VARCHAR[])
    AND r.dimension IN (CAST($revenue_dimension AS VARCHAR), CAST($volume_dimension AS VARCHAR)) AND r.dimension IN CAST($dimensions AS VARCHAR[])
    AND r.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND r.day >= s.first_day
    AND (r.day < s.dirty_from OR r.day = s.running_day)
),
paid AS
(
SELECT
    e.project_id AS project_id,
    if((e.acquisition != 'Direct' OR e.referrer != '' OR e.ref != '' OR e.utm_source != ''
    OR e.utm_medium != '' OR e.utm_campaign != '' OR e.utm_term != '' OR e.utm_content != ''), e.utm_source, s.utm_source) AS value,
    toInt64(e.day - CAST($first_day AS DATE)) AS bucket,
    toInt128(floor(e.revenue * 1e9 + 0.5)) AS n_revenue,
    toInt128(floor(e.volume * 1e9 + 0.5)) AS n_volume
FROM sessions AS s
INNER JOIN scope AS p ON p.project_id = s.project_id
INNER JOIN
(
    SELECT e.*
    FROM open_events AS e
    INNER JOIN (SELECT project_id AS scope_project, dirty_from FROM scope) AS p ON p.scope_project = e.project_id
    WHERE e.project_id IN CAST($projects AS VARCHAR[])
        AND e.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
        AND e.day >= p.dirty_from
        AND (e.revenue != 0 OR e.volume != 0)
        AND 1 = 1
) AS e ON e.project_id = s.project_id AND e.day = s.day AND e.session = s.session
WHERE s.project_id IN CAST($projects AS VARCHAR[])
    AND s.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND s.day >= p.first_day
    AND s.is_first
    AND 1 = 1
    AND s.day >= p.dirty_from
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
FROM
(
    SELECT project_id, value, bucket, n_revenue, n_volume FROM clean_groups
    UNION ALL
    SELECT project_id, value, bucket, n_revenue, n_volume FROM paid
) AS every
GROUP BY project_id, value, bucket
),
ranks AS
(
SELECT project_id, value, row_number() OVER (PARTITION BY project_id ORDER BY first DESC, second DESC, value) AS place
FROM
(
    SELECT project_id, value, sum(revenue_amount) AS first, sum(volume_amount) AS second
    FROM totals
    WHERE 1 = 1
    GROUP BY project_id, value
) AS sizes
),
counts AS
(
SELECT t.*, r.place AS place
FROM totals AS t
INNER JOIN (SELECT project_id AS ranked_project, value AS ranked_value, place FROM ranks) AS r
    ON r.ranked_project = t.project_id AND r.ranked_value = t.value
WHERE r.place <= CAST($groups AS UINTEGER)
)
SELECT project_id, value, bucket, place, revenue, volume
FROM counts
ORDER BY project_id, place, bucket
-- dimensions, first_day, groups, last_day, projects, revenue_dimension, scope_first_day, scope_first_days, scope_last_day, scope_projects, volume_dimension
