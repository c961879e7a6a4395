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
open_events AS
(
SELECT e.day AS day, e.visitor AS visitor, e.session AS session, e.project_id AS project_id, e.type AS type, e.origin AS origin, e.pathname AS pathname FROM main.events AS e
INNER JOIN scope AS o ON o.project_id = e.project_id
WHERE e.project_id IN CAST($scope_projects AS VARCHAR[])
    AND e.received_at > o.received_to AND e.day BETWEEN CAST($scope_first_day AS DATE) AND CAST($scope_last_day AS DATE)
UNION ALL
SELECT e.day AS day, e.visitor AS visitor, e.session AS session, e.project_id AS project_id, e.type AS type, e.origin AS origin, e.pathname AS pathname FROM main.events AS e
INNER JOIN scope AS o ON o.project_id = e.project_id
WHERE e.project_id IN CAST($scope_projects AS VARCHAR[])
    AND e.received_at <= o.received_to AND e.day > o.running_day
    AND e.day BETWEEN CAST($scope_first_day AS DATE) AND CAST($scope_last_day AS DATE)
),
open_sessions AS
(
SELECT v.project_id AS project_id, v.day AS day, v.session AS session, v.visitor AS visitor, v.hits AS hits, v.pages AS pages, v.origin AS origin, 1 AS weight FROM sessions AS v
INNER JOIN scope AS o ON o.project_id = v.project_id
WHERE v.project_id IN CAST($scope_projects AS VARCHAR[])
    AND v.received_to > o.received_to AND v.day BETWEEN CAST($scope_first_day AS DATE) AND CAST($scope_last_day AS DATE)
UNION ALL
SELECT v.project_id AS project_id, v.day AS day, v.session AS session, v.visitor AS visitor, v.hits AS hits, v.pages AS pages, v.origin AS origin, 1 AS weight FROM sessions AS v
INNER JOIN scope AS o ON o.project_id = v.project_id
WHERE v.project_id IN CAST($scope_projects AS VARCHAR[])
    AND v.received_to <= o.received_to AND v.day > o.running_day
    AND v.day BETWEEN CAST($scope_first_day AS DATE) AND CAST($scope_last_day AS DATE)
UNION ALL
SELECT v.project_id AS project_id, v.day AS day, v.session AS session, v.visitor AS visitor, v.hits AS hits, v.pages AS pages, v.origin AS origin, -1 AS weight FROM replaced_sessions AS v
INNER JOIN scope AS o ON o.project_id = v.project_id
WHERE v.project_id IN CAST($scope_projects AS VARCHAR[]) AND v.day = o.running_day AND v.received_to <= o.received_to
),
clean AS
(
SELECT
    r.project_id AS project_id,
    r.value AS value,
    r.hits AS n_hits,
    r.sessions AS n_sessions,
    if(r.seen_before <= s.first_day, r.visitors, 0) AS n_visitors
FROM rollups AS r
INNER JOIN scope AS s ON s.project_id = r.project_id
WHERE r.project_id IN CAST($projects AS VARCHAR[])
    AND r.dimension = 'page'
    AND r.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND r.day >= s.first_day
    AND (r.day < s.dirty_from OR r.day = s.running_day)
),
dirty AS
(
SELECT
    v.project_id AS project_id,
    arrayJoin(v.pages) AS value,
    v.session AS session,
    v.visitor AS visitor,
    v.weight AS weight
FROM open_sessions AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN CAST($projects AS VARCHAR[])
    AND v.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND v.day >= s.first_day
    AND v.day >= s.dirty_from
    AND 1 = 1
    AND v.hits > 0
),
known AS
(
SELECT v.project_id AS project_id, arrayJoin(v.pages) AS value, v.visitor AS visitor
FROM sessions AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN CAST($projects AS VARCHAR[])
    AND v.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND v.day >= s.first_day
    AND (v.day < s.dirty_from OR v.day = s.running_day AND v.received_to <= s.received_to)
    AND 1 = 1
    AND v.visitor IN (SELECT visitor FROM dirty WHERE weight != 0)
),
dirty_counts AS
(
SELECT
    project_id,
    value,
    toInt64(if(is_visitor = 0, max(is_now) - max(is_rolled_up), 0)) AS n_sessions,
    toInt64(if(is_visitor = 1, max(is_now) - max(is_rolled_up), 0)) AS n_visitors
FROM
(
    SELECT
        project_id,
        value,
        0 AS is_visitor,
        session AS who,
        if(weight > 0, 1, 0) AS is_now,
        if(weight < 0, 1, 0) AS is_rolled_up
    FROM dirty
    UNION ALL
    SELECT
        project_id,
        value,
        1 AS is_visitor,
        visitor AS who,
        if(weight > 0, 1, 0) AS is_now,
        if(weight < 0, 1, 0) AS is_rolled_up
    FROM dirty
    UNION ALL
    SELECT project_id, value, 1 AS is_visitor, visitor AS who, 1 AS is_now, 1 AS is_rolled_up
    FROM known
) AS visits
GROUP BY project_id, value, is_visitor, who
),
dirty_views AS
(
SELECT e.project_id AS project_id, concat(e.origin, ' ', e.pathname) AS value, count() AS n_hits
FROM open_events AS e
INNER JOIN scope AS s ON s.project_id = e.project_id
WHERE e.project_id IN CAST($projects AS VARCHAR[])
    AND e.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND e.day >= s.first_day
    AND e.day >= s.dirty_from
    AND e.type = 'page'
    AND 1 = 1
GROUP BY e.project_id, value
),
pages AS
(
SELECT project_id, value, sum(n_hits) AS hits, sum(n_sessions) AS sessions, sum(n_visitors) AS visitors
FROM
(
    SELECT project_id, value, n_hits, n_sessions, n_visitors
    FROM clean
    UNION ALL
    SELECT project_id, value, toInt64(n_hits) AS n_hits, toInt64(0) AS n_sessions, toInt64(0) AS n_visitors
    FROM dirty_views
    UNION ALL
    SELECT project_id, value, toInt64(0) AS n_hits, n_sessions, n_visitors
    FROM dirty_counts
) AS every
GROUP BY project_id, value
HAVING sum(n_sessions) > 0
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
FROM pages
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
-- first_day, last_day, limit, offset, projects, scope_first_day, scope_first_days, scope_last_day, scope_projects
