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
viewed AS
(
SELECT e.project_id AS project_id, e.session AS session
FROM events AS e
WHERE e.project_id IN CAST($projects AS VARCHAR[])
    AND e.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND (position(lowerUTF8(CAST($p0 AS VARCHAR)) IN lowerUTF8(e.pathname)) > 0)
),
passed_alone AS
(
SELECT
    e.project_id AS project_id,
    e.day AS day,
    toUnixTimestamp64Milli(e.timestamp) AS at_ms,
    e.session AS session,
    e.type AS type,
    e.event AS event,
    '' AS value
FROM events AS e
INNER JOIN scope AS s ON s.project_id = e.project_id
WHERE e.project_id IN CAST($projects AS VARCHAR[])
    AND e.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND e.day >= s.first_day
    AND 1 = 1
    AND 1 = 1 AND (e.project_id, e.session) IN (SELECT project_id, session FROM viewed)
),
counted AS
(
SELECT
    project_id,
    (toInt64(day - toDate('1970-01-01')) + 3) % 7 + 1 AS weekday,
    intDiv(at_ms % 86400000, 3600000) AS hour,
    toInt64(sum(if(type = 'page', 1, 0))) AS n_hits,
    toInt64(count()) AS n_events,
    toInt64(uniqExact(session)) AS n_sessions
FROM passed_alone
GROUP BY project_id, weekday, hour
),
counts AS
(
SELECT project_id, weekday, hour, sum(n_hits) AS hits, sum(n_events) AS all_events, sum(n_sessions) AS sessions
FROM
(
    SELECT project_id, weekday, hour, n_hits, n_events, n_sessions FROM counted
) AS every
GROUP BY project_id, weekday, hour
)
SELECT project_id, weekday, hour, hits, sessions, all_events
FROM counts
ORDER BY project_id, weekday, hour
-- first_day, last_day, p0, projects, scope_first_days, scope_projects
