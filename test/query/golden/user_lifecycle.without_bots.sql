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
user_days AS
(
SELECT
    project_id,
    user_key,
    if(CAST($last_day AS DATE) - day < CAST($lookback AS BIGINT), day, toDate('1970-01-01')) AS active_day,
    min(day) AS from_day,
    max(day) AS to_day
FROM visits
GROUP BY project_id, user_key, active_day
),
spans AS
(
SELECT project_id, user_key, active_day, from_day, to_day, if(nth = 1, 0, active_day - previous_day) AS gap_days
FROM
(
    SELECT
        project_id,
        user_key,
        active_day,
        from_day,
        to_day,
        row_number() OVER (PARTITION BY project_id, user_key ORDER BY active_day) AS nth,
        lag(active_day) OVER (PARTITION BY project_id, user_key ORDER BY active_day) AS previous_day
    FROM user_days
) AS days
),
stages AS
(
SELECT
    project_id,
    user_key,
    if(CAST($last_day AS DATE) - last_seen >= CAST($churn_window_days AS BIGINT), 6,
        if(CAST($last_day AS DATE) - first_seen < CAST($new_window_days AS BIGINT), 1,
            if(power_days >= CAST($power_user_min_active_days AS BIGINT), 3,
                if(has_returned = 1, 4,
                    if(CAST($last_day AS DATE) - last_seen >= CAST($at_risk_min_days_inactive AS BIGINT)
                        AND prior_days >= CAST($at_risk_prior_active_days_threshold AS BIGINT), 5, 2))))) AS stage
FROM
(
    SELECT
        project_id,
        user_key,
        min(from_day) AS first_seen,
        max(to_day) AS last_seen,
        countIf(CAST($last_day AS DATE) - active_day < CAST($power_user_window_days AS BIGINT)) AS power_days,
        countIf(CAST($last_day AS DATE) - active_day >= CAST($churn_window_days AS BIGINT)
            AND CAST($last_day AS DATE) - active_day < 2 * CAST($churn_window_days AS BIGINT)) AS prior_days,
        max(if(CAST($last_day AS DATE) - active_day < CAST($churn_window_days AS BIGINT)
            AND gap_days >= CAST($resurrected_gap_days AS BIGINT), 1, 0)) AS has_returned
    FROM spans
    GROUP BY project_id, user_key
) AS users
),
counts AS
(
SELECT project_id, stage, sum(is_current) AS user_count, sum(1 - is_current) AS user_count_previous
FROM
(
    SELECT project_id, stage, 1 AS is_current FROM stages
) AS every
GROUP BY project_id, stage
)
SELECT project_id, stage, user_count, user_count_previous
FROM counts
ORDER BY project_id, stage
-- at_risk_min_days_inactive, at_risk_prior_active_days_threshold, beginning, churn_window_days, last_day, lookback, new_window_days, power_user_min_active_days, power_user_window_days, projects, resurrected_gap_days, scope_first_days, scope_projects, scope_without_bots
