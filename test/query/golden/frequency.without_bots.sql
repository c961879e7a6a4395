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
    AND v.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND v.day >= s.first_day
    AND notEmpty(v.addresses)
    AND v.device != 'bot'
),
habits AS
(
SELECT project_id, user_key, count() AS n_sessions
FROM
(
    SELECT project_id, user_key, session
    FROM visits
    GROUP BY project_id, user_key, session
) AS distinct_visits
GROUP BY project_id, user_key
),
buckets AS
(
SELECT
    project_id,
    if(n_sessions = 1, 1, if(n_sessions <= 10, 2, if(n_sessions <= 30, 3, if(n_sessions <= 50, 4, 5)))) AS bucket,
    n_sessions
FROM habits
),
counts AS
(
SELECT
    project_id,
    bucket,
    sum(is_current) AS user_count,
    sum(if(is_current = 1, n_sessions, 0)) AS session_count,
    sum(1 - is_current) AS user_count_previous,
    sum(if(is_current = 1, 0, n_sessions)) AS session_count_previous
FROM
(
    SELECT project_id, bucket, n_sessions, 1 AS is_current FROM buckets
) AS every
GROUP BY project_id, bucket
)
SELECT project_id, bucket, user_count, session_count, user_count_previous, session_count_previous
FROM counts
ORDER BY project_id, bucket
-- first_day, last_day, projects, scope_first_days, scope_projects, scope_without_bots
