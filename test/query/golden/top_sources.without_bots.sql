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
open_sessions AS
(
SELECT v.project_id AS project_id, v.day AS day, v.visitor AS visitor, v.is_first AS is_first, v.hits AS hits, v.referrer AS referrer, v.device AS device, 1 AS weight FROM sessions AS v
INNER JOIN scope AS o ON o.project_id = v.project_id
WHERE v.project_id IN CAST($scope_projects AS VARCHAR[])
    AND v.received_to > o.received_to AND v.day BETWEEN CAST($scope_first_day AS DATE) AND CAST($scope_last_day AS DATE)
UNION ALL
SELECT v.project_id AS project_id, v.day AS day, v.visitor AS visitor, v.is_first AS is_first, v.hits AS hits, v.referrer AS referrer, v.device AS device, 1 AS weight FROM sessions AS v
INNER JOIN scope AS o ON o.project_id = v.project_id
WHERE v.project_id IN CAST($scope_projects AS VARCHAR[])
    AND v.received_to <= o.received_to AND v.day > o.running_day
    AND v.day BETWEEN CAST($scope_first_day AS DATE) AND CAST($scope_last_day AS DATE)
UNION ALL
SELECT v.project_id AS project_id, v.day AS day, v.visitor AS visitor, v.is_first AS is_first, v.hits AS hits, v.referrer AS referrer, v.device AS device, -1 AS weight FROM replaced_sessions AS v
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
    AND r.dimension = CAST($dimension AS VARCHAR)
    AND r.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND r.day >= s.first_day
    AND (r.day < s.dirty_from OR r.day = s.running_day)
),
dirty AS
(
SELECT
    v.project_id AS project_id,
    if(v.referrer = '', 'Direct', v.referrer) AS value,
    v.visitor AS visitor,
    v.weight AS weight,
    v.weight * v.hits AS visit_hits,
    if(v.is_first, v.weight, 0) AS visit_sessions
FROM open_sessions AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN CAST($projects AS VARCHAR[])
    AND v.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND v.day >= s.first_day
    AND v.day >= s.dirty_from
    AND v.device != 'bot'
),
known AS
(
SELECT v.project_id AS project_id, if(v.referrer = '', 'Direct', v.referrer) AS value, v.visitor AS visitor
FROM sessions AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN CAST($projects AS VARCHAR[])
    AND v.day BETWEEN CAST($first_day AS DATE) AND CAST($last_day AS DATE)
    AND v.day >= s.first_day
    AND (v.day < s.dirty_from OR v.day = s.running_day AND v.received_to <= s.received_to)
    AND v.device != 'bot'
    AND v.visitor IN (SELECT visitor FROM dirty WHERE weight != 0)
),
counts AS
(
SELECT project_id, value, sum(n_hits) AS hits, sum(n_sessions) AS sessions, sum(n_visitors) AS visitors
FROM
(
    SELECT project_id, value, n_hits, n_sessions, n_visitors
    FROM clean
    UNION ALL
    SELECT
        project_id,
        value,
        toInt64(sum(visit_hits)) AS n_hits,
        toInt64(sum(visit_sessions)) AS n_sessions,
        toInt64(max(if(weight < 0, 0, 1)) - max(if(weight > 0, 0, 1))) AS n_visitors
    FROM
    (
        SELECT project_id, value, visitor, visit_hits, visit_sessions, weight
        FROM dirty
        UNION ALL
        SELECT project_id, value, visitor, 0 AS visit_hits, 0 AS visit_sessions, 0 AS weight
        FROM known
    ) AS visits
    GROUP BY project_id, value, visitor
) AS every
WHERE 1 = 1
GROUP BY project_id, value
HAVING sum(n_sessions) > 0
)
SELECT project_id, value, hits, sessions, visitors, count() OVER () AS rows_before_limit
FROM counts
ORDER BY visitors DESC, sessions DESC, hits DESC, value, project_id
LIMIT CAST($limit AS UINTEGER) OFFSET CAST($offset AS UINTEGER)
-- dimension, first_day, last_day, limit, offset, projects, scope_first_day, scope_first_days, scope_last_day, scope_projects, scope_without_bots
