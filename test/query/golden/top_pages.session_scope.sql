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
matching AS
(
SELECT e.project_id AS project_id, e.session AS session
FROM events AS e
WHERE e.project_id IN CAST($projects AS VARCHAR[])
    AND e.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND (position(lowerUTF8(CAST($e0 AS VARCHAR)) IN lowerUTF8(e.pathname)) > 0)
),
chosen AS
(
SELECT
    v.project_id AS project_id,
    v.session AS session,
    1 AS weight,
    v.hits AS hits,
    if(v.is_bounce, 1, 0) AS bounces,
    '' AS end_page,
    v.pages AS pages
FROM sessions AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN CAST($projects AS VARCHAR[])
    AND v.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND v.day >= s.first_day
    AND 1 = 1
    AND 1 = 1
    AND (v.project_id, v.session) IN (SELECT project_id, session FROM matching)
),
views AS
(
SELECT
    e.project_id AS project_id,
    concat(e.origin, ' ', e.pathname) AS value,
    count() AS hits,
    uniqExact(e.session) AS sessions,
    uniqExact(e.visitor) AS visitors
FROM events AS e
INNER JOIN (SELECT DISTINCT project_id, session FROM chosen) AS c
    ON c.project_id = e.project_id AND c.session = e.session
WHERE e.project_id IN CAST($projects AS VARCHAR[])
    AND e.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND e.type = 'page'
GROUP BY e.project_id, value
),
split AS
(
SELECT
    project_id,
    substring(value, 1, position(' ' IN value) - 1) AS origin,
    substring(value, position(' ' IN value) + 1) AS pathname,
    hits,
    sessions,
    visitors AS measure
FROM views
),
counts AS
(
SELECT project_id, origin, pathname, hits, sessions, measure
FROM split
WHERE 1 = 1
)
SELECT project_id, origin, pathname, hits, sessions, measure, count() OVER () AS rows_before_limit
FROM counts
ORDER BY measure DESC, sessions DESC, hits DESC, origin, pathname, project_id
LIMIT CAST($limit AS UINTEGER) OFFSET CAST($offset AS UINTEGER)
-- e0, first_day, last_day, limit, offset, projects, scope_first_days, scope_projects
