-- Wallets by their number of sessions.

-- name: staged
-- The sessions of wallets in the asked stages of the lifecycle.
SELECT project_id, user_key, day, session
FROM {visits:Relation}
WHERE (project_id, user_key) IN (SELECT project_id, user_key FROM {of_stages:Relation} WHERE stage IN {stages:Array(Float64)})

-- name: habits
SELECT project_id, user_key, count() AS n_sessions
FROM
(
    SELECT project_id, user_key, session
    FROM {visits:Relation}
    GROUP BY project_id, user_key, session
) AS distinct_visits
GROUP BY project_id, user_key

-- name: buckets
SELECT
    project_id,
    if(n_sessions = 1, 1, if(n_sessions <= 10, 2, if(n_sessions <= 30, 3, if(n_sessions <= 50, 4, 5)))) AS bucket,
    n_sessions
FROM {habits:Relation}

-- name: counts
SELECT
    project_id,
    bucket,
    sum(is_current) AS user_count,
    sum(if(is_current = 1, n_sessions, 0)) AS session_count,
    sum(1 - is_current) AS user_count_previous,
    sum(if(is_current = 1, 0, n_sessions)) AS session_count_previous
FROM
(
    {periods:Relation}
) AS every
GROUP BY project_id, bucket
