-- Scan floor of heatmap. An hour without events is a row of zeros.
SELECT
    p.project_id AS project_id,
    w.weekday AS weekday,
    h.hour AS hour,
    coalesce(n.hits, 0) AS hits,
    coalesce(n.sessions, 0) AS sessions,
    coalesce(n.events, 0) AS events
FROM (SELECT unnest({projects:Array(String)}) AS project_id) AS p
CROSS JOIN range(1, 8) AS w(weekday)
CROSS JOIN range(24) AS h(hour)
LEFT JOIN
(
    SELECT
        project_id,
        isodow(timestamp) AS weekday,
        hour(timestamp) AS hour,
        count(*) FILTER (type = 'page') AS hits,
        count(DISTINCT session) AS sessions,
        count(*) AS events
    FROM events
    WHERE project_id IN {projects:Array(String)} AND day BETWEEN {first_day:Date} AND {last_day:Date}
    GROUP BY project_id, weekday, hour
) AS n ON n.project_id = p.project_id AND n.weekday = w.weekday AND n.hour = h.hour
ORDER BY p.project_id, w.weekday, h.hour
