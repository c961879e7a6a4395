WITH scope AS
(
SELECT
    p.project_id AS project_id,
    greatest(p.first_day, coalesce(r.removed_before, p.first_day)) AS first_day,
    if(
        r.without_bots = (p.project_id IN CAST($scope_without_bots AS VARCHAR[])), r.clean_through, DATE '1969-12-31'
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
    AND t.without_bots = (p.project_id IN CAST($scope_without_bots AS VARCHAR[]))
    AND t.without_bots = coalesce(r.without_bots, t.without_bots)
),
visits AS
(
SELECT v.project_id AS project_id, arrayJoin(v.addresses) AS user_key, v.day AS day, v.session AS session
FROM sessions AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN CAST($projects AS VARCHAR[])
    AND v.day BETWEEN CAST($beginning AS DATE) AND CAST($last_day AS DATE)
    AND v.day >= s.first_day
    AND notEmpty(v.addresses)
    AND v.device != 'bot'
),
newcomers AS
(
SELECT
    project_id,
    user_key,
    first_seen,
    last_seen,
    intDiv(first_seen - toDate('1970-01-01') + 3, 7) AS first_period,
    intDiv(last_seen - toDate('1970-01-01') + 3, 7) AS last_period
FROM
(
    SELECT project_id, user_key, min(day) AS first_seen, max(day) AS last_seen
    FROM visits
    GROUP BY project_id, user_key
) AS users
WHERE first_seen BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND 1 = 1
),
counts AS
(
SELECT project_id, 'period' AS kind, first_period AS period, last_period - first_period AS nth, count() AS n_users
FROM newcomers
GROUP BY project_id, first_period, last_period
UNION ALL
SELECT project_id, 'day' AS kind, 0 AS period, nth, sum(if(stayed_days >= nth, 1, 0)) AS n_users
FROM
(
    SELECT project_id, arrayJoin([7, 30, 90]) AS nth, last_seen - first_seen AS stayed_days
    FROM newcomers
) AS stayed
GROUP BY project_id, nth
)
SELECT project_id, kind, period, nth, n_users
FROM counts
ORDER BY project_id, kind, period, nth
-- beginning, first_day, last_day, projects, scope_first_days, scope_projects, scope_without_bots
