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
keyed_sessions AS
(
SELECT v.day AS date, if(v.device = '', 'Direct', v.device) AS event_key, toInt64(v.events) AS n
FROM sessions AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN CAST($projects AS VARCHAR[])
    AND v.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND v.day >= s.first_day
    AND 1 = 1
    AND 1 = 1
),
daily AS
(
SELECT date, event_key, sum(n) AS n_events
FROM
(
    SELECT date, event_key, n FROM keyed_sessions
) AS every
GROUP BY date, event_key
),
top AS
(
SELECT event_key
FROM daily
GROUP BY event_key
ORDER BY sum(n_events) DESC, event_key
LIMIT CAST($keys AS UINTEGER)
),
counts AS
(
SELECT date, shown_key, sum(n_events) AS n
FROM
(
    SELECT date, if(event_key IN (SELECT event_key FROM top), event_key, 'Others') AS shown_key, n_events
    FROM daily
) AS shown
GROUP BY date, shown_key
)
SELECT date, shown_key, n
FROM counts
ORDER BY date, n DESC, shown_key
-- first_day, keys, last_day, projects, scope_first_days, scope_projects
