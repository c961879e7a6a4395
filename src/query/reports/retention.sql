-- Who comes back, by the week in which a user was first active. Weeks are numbers: whole weeks from Monday to Sunday
-- since the one of 1970-01-01.

-- name: acts
-- Activity of one kind: events of a type or name, in sessions of the chosen users.
SELECT e.project_id AS project_id, {user_of_event:Expression} AS user_key, e.day AS day
FROM events AS e
INNER JOIN scope AS s ON s.project_id = e.project_id
WHERE e.project_id IN {projects:Array(String)}
    AND e.day <= {last_day:Date}
    AND e.day >= s.first_day
    AND {is_users:Condition}
    AND {is_act:Condition}
    AND (e.project_id, {user_of_event:Expression}, e.session) IN (SELECT project_id, user_key, session FROM {visits:Relation})

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
    FROM sessions AS v
    INNER JOIN scope AS s ON s.project_id = v.project_id
    WHERE v.project_id IN {projects:Array(String)}
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
    intDiv(first_seen - toDate('1970-01-01') + 3, 7) AS first_week,
    intDiv(last_seen - toDate('1970-01-01') + 3, 7) AS last_week
FROM
(
    SELECT project_id, user_key, min(day) AS first_seen, max(day) AS last_seen
    FROM {activity:Relation}
    GROUP BY project_id, user_key
) AS users
WHERE first_seen BETWEEN {first_day:Date} AND {last_day:Date}
    AND {is_introduced:Condition}

-- name: rolling_counts
-- Users by the last week in which they were active, and those who were active so many days later, or after that.
SELECT project_id, 'week' AS kind, first_week AS week, last_week - first_week AS nth, count() AS n_users
FROM newcomers
GROUP BY project_id, first_week, last_week
UNION ALL
SELECT project_id, 'day' AS kind, 0 AS week, nth, sum(if(stayed_days >= nth, 1, 0)) AS n_users
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
    u.first_week AS week,
    a.day - u.first_seen AS nth_day,
    intDiv(a.day - toDate('1970-01-01') + 3, 7) - u.first_week AS nth_week
FROM {activity:Relation} AS a
INNER JOIN newcomers AS u ON u.project_id = a.project_id AND u.user_key = a.user_key

-- name: recurring_counts
-- Users who were active in exactly that week, and on exactly that day.
SELECT project_id, 'week' AS kind, week, nth, count() AS n_users
FROM (SELECT DISTINCT project_id, user_key, week, nth_week AS nth FROM returns) AS weeks
GROUP BY project_id, week, nth
UNION ALL
SELECT project_id, 'day' AS kind, 0 AS week, nth, count() AS n_users
FROM (SELECT DISTINCT project_id, user_key, nth_day AS nth FROM returns WHERE nth_day IN (7, 30, 90)) AS days
GROUP BY project_id, nth
