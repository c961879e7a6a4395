-- Who comes back, by the day, week or month in which a user was first active. These periods are numbers since that of
-- 1970-01-01.

-- name: acts
-- Activity of one kind: events of a type or name, in sessions of the chosen users.
SELECT e.project_id AS project_id, {user_of_event:Expression} AS user_key, e.day AS day
FROM events AS e {e:InScope}
WHERE {e:Projects}
    AND e.day <= {last_day:Date}
    AND e.day >= s.first_day
    AND {is_users:Condition}
    AND {is_act:Condition}
    AND (e.project_id, {user_of_event:Expression}, e.session) IN (SELECT project_id, user_key, session FROM {visits:Relation})

-- name: entry_acts
-- Events that begin a cohort, in the same sessions.
SELECT e.project_id AS project_id, {user_of_event:Expression} AS user_key, e.day AS day
FROM events AS e {e:InScope}
WHERE {e:Projects}
    AND e.day <= {last_day:Date}
    AND e.day >= s.first_day
    AND {is_users:Condition}
    AND {is_entry:Condition}
    AND (e.project_id, {user_of_event:Expression}, e.session) IN (SELECT project_id, user_key, session FROM {visits:Relation})

-- name: entries
SELECT project_id, user_key, min(day) AS day
FROM {entered:Relation}
GROUP BY project_id, user_key

-- name: since_entry
-- The day of a user's entry, and the days of activity from then on.
SELECT project_id, user_key, day FROM entries
UNION ALL
SELECT a.project_id AS project_id, a.user_key AS user_key, a.day AS day
FROM {acted:Relation} AS a
INNER JOIN entries AS e ON e.project_id = a.project_id AND e.user_key = a.user_key
WHERE a.day >= e.day

-- name: introduced
-- The first touch of each user's first session; of several that began at once, that of the lowest values.
SELECT project_id, user_key, argMin(touch, (started_at, touch)) AS first_touch
FROM
(
    SELECT
        v.project_id AS project_id,
        {user_of_session:Expression} AS user_key,
        v.started_at AS started_at,
        {touch:Expression} AS touch
    FROM sessions AS v {v:InScope}
    WHERE {v:Projects}
        AND v.day <= {last_day:Date}
        AND v.day >= s.first_day
        AND {has_user:Condition}
        AND {bots:Condition}
) AS every
GROUP BY project_id, user_key

-- name: newcomers
-- Users who were first active in the window.
SELECT
    project_id,
    user_key,
    first_seen,
    last_seen,
    {first_period:Expression} AS first_period,
    {last_period:Expression} AS last_period
FROM
(
    SELECT project_id, user_key, min(day) AS first_seen, max(day) AS last_seen
    FROM {activity:Relation}
    GROUP BY project_id, user_key
) AS users
WHERE first_seen BETWEEN {first_day:Date} AND {last_day:Date}
    AND {is_introduced:Condition}

-- name: rolling_counts
-- Users by the last period in which they were active, and those who were active so many days later, or after that.
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

-- name: returns
SELECT
    a.project_id AS project_id,
    a.user_key AS user_key,
    u.first_period AS period,
    a.day - u.first_seen AS nth_day,
    {period_of_act:Expression} - u.first_period AS nth_period
FROM {activity:Relation} AS a
INNER JOIN newcomers AS u ON u.project_id = a.project_id AND u.user_key = a.user_key

-- name: recurring_counts
-- Users who were active in exactly that period, and on exactly that day.
SELECT project_id, 'period' AS kind, period, nth, count() AS n_users
FROM (SELECT DISTINCT project_id, user_key, period, nth_period AS nth FROM returns) AS periods
GROUP BY project_id, period, nth
UNION ALL
SELECT project_id, 'day' AS kind, 0 AS period, nth, count() AS n_users
FROM (SELECT DISTINCT project_id, user_key, nth_day AS nth FROM returns WHERE nth_day IN (7, 30, 90)) AS days
GROUP BY project_id, nth
