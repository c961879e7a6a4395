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
visits AS
(
SELECT v.project_id AS project_id, arrayJoin(v.addresses) AS user_key, v.day AS day, v.session AS session
FROM sessions AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN CAST($projects AS VARCHAR[])
    AND v.day BETWEEN CAST($beginning AS DATE) AND CAST($last_day AS DATE)
    AND v.day >= s.first_day
    AND notEmpty(v.addresses)
    AND 1 = 1
),
newcomers AS
(
SELECT
    project_id,
    user_key,
    first_seen,
    last_seen,
    ((toInt64(year(first_seen)) - 1970) * 12 + toInt64(month(first_seen)) - 1) AS first_period,
    ((toInt64(year(last_seen)) - 1970) * 12 + toInt64(month(last_seen)) - 1) AS last_period
FROM
(
    SELECT project_id, user_key, min(day) AS first_seen, max(day) AS last_seen
    FROM visits
    GROUP BY project_id, user_key
) AS users
WHERE first_seen BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND 1 = 1
),
returns AS
(
SELECT
    a.project_id AS project_id,
    a.user_key AS user_key,
    u.first_period AS period,
    a.day - u.first_seen AS nth_day,
    ((toInt64(year(a.day)) - 1970) * 12 + toInt64(month(a.day)) - 1) - u.first_period AS nth_period
FROM visits AS a
INNER JOIN newcomers AS u ON u.project_id = a.project_id AND u.user_key = a.user_key
),
counts AS
(
SELECT project_id, 'period' AS kind, period, nth, count() AS n_users
FROM (SELECT DISTINCT project_id, user_key, period, nth_period AS nth FROM returns) AS periods
GROUP BY project_id, period, nth
UNION ALL
SELECT project_id, 'day' AS kind, 0 AS period, nth, count() AS n_users
FROM (SELECT DISTINCT project_id, user_key, nth_day AS nth FROM returns WHERE nth_day IN (7, 30, 90)) AS days
GROUP BY project_id, nth
)
SELECT project_id, kind, period, nth, n_users
FROM counts
ORDER BY project_id, kind, period, nth
-- beginning, first_day, last_day, projects, scope_first_days, scope_projects
