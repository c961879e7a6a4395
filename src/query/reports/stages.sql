-- Wallets by how they come and go, on a reference day. Only the last `lookback` days matter one by one: all earlier
-- active days of a wallet are one row, under 1970-01-01.

-- name: user_days
SELECT
    project_id,
    user_key,
    if({reference:Expression} - day < {lookback:Int64}, day, toDate('1970-01-01')) AS active_day,
    min(day) AS from_day,
    max(day) AS to_day
FROM {visits:Relation}
GROUP BY project_id, user_key, active_day

-- name: spans
-- The days since the previous active day; 0 for the first one.
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
    FROM {user_days:Relation}
) AS days

-- name: stages
-- The first stage that fits, as a number.
SELECT
    project_id,
    user_key,
    if({reference:Expression} - last_seen >= {churn_window_days:Int64}, 6,
        if({reference:Expression} - first_seen < {new_window_days:Int64}, 1,
            if(power_days >= {power_user_min_active_days:Int64}, 3,
                if(has_returned = 1, 4,
                    if({reference:Expression} - last_seen >= {at_risk_min_days_inactive:Int64}
                        AND prior_days >= {at_risk_prior_active_days_threshold:Int64}, 5, 2))))) AS stage
FROM
(
    SELECT
        project_id,
        user_key,
        min(from_day) AS first_seen,
        max(to_day) AS last_seen,
        countIf({reference:Expression} - active_day < {power_user_window_days:Int64}) AS power_days,
        countIf({reference:Expression} - active_day >= {churn_window_days:Int64}
            AND {reference:Expression} - active_day < 2 * {churn_window_days:Int64}) AS prior_days,
        max(if({reference:Expression} - active_day < {churn_window_days:Int64}
            AND gap_days >= {resurrected_gap_days:Int64}, 1, 0)) AS has_returned
    FROM {spans:Relation}
    GROUP BY project_id, user_key
) AS users
