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
open_events AS
(
SELECT e.* FROM main.events AS e
INNER JOIN scope AS o ON o.project_id = e.project_id
WHERE e.project_id IN CAST($scope_projects AS VARCHAR[])
    AND e.received_at > o.received_to AND e.day BETWEEN CAST($scope_first_day AS DATE) AND CAST($scope_last_day AS DATE)
UNION ALL
SELECT e.* FROM main.events AS e
INNER JOIN scope AS o ON o.project_id = e.project_id
WHERE e.project_id IN CAST($scope_projects AS VARCHAR[])
    AND e.received_at <= o.received_to AND e.day > o.running_day
    AND e.day BETWEEN CAST($scope_first_day AS DATE) AND CAST($scope_last_day AS DATE)
),
dirty_bots AS
(
SELECT v.project_id AS project_id, v.session AS session
FROM sessions AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN CAST($projects AS VARCHAR[])
    AND v.project_id IN CAST($without_bots AS VARCHAR[])
    AND v.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND v.day >= s.first_day
    AND v.day >= s.dirty_from
    AND v.device = 'bot'
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
FROM open_events AS e
INNER JOIN scope AS s ON s.project_id = e.project_id
WHERE e.project_id IN CAST($projects AS VARCHAR[])
    AND e.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND e.day >= s.first_day
    AND e.day >= s.dirty_from
    AND (e.project_id, e.session) NOT IN (SELECT project_id, session FROM dirty_bots)
),
clean AS
(
SELECT r.project_id AS project_id, substring(r.dimension, 7) AS type, r.value AS event, r.hits AS n_hits
FROM rollups AS r
INNER JOIN scope AS s ON s.project_id = r.project_id
WHERE r.project_id IN CAST($projects AS VARCHAR[])
    AND r.dimension >= 'event ' AND r.dimension < 'event!'
    AND r.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND r.day >= s.first_day
    AND (r.day < s.dirty_from OR r.day = s.running_day)
),
counted AS
(
SELECT project_id, type, event, toInt64(count()) AS n_hits
FROM passed_alone
GROUP BY project_id, type, event
),
counts AS
(
SELECT project_id, type, event, sum(n_hits) AS hits
FROM
(
    SELECT project_id, type, event, n_hits FROM clean
    UNION ALL
    SELECT project_id, type, event, n_hits FROM counted
) AS every
WHERE 1 = 1
GROUP BY project_id, type, event
)
SELECT project_id, type, event, hits, count() OVER () AS rows_before_limit
FROM counts
ORDER BY hits DESC, type, event, project_id
LIMIT CAST($limit AS UINTEGER) OFFSET CAST($offset AS UINTEGER)
-- first_day, last_day, limit, offset, projects, scope_first_day, scope_first_days, scope_last_day, scope_projects, scope_without_bots, without_bots
