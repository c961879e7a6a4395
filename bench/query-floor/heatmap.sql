-- Scan floor of heatmap.
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
ORDER BY project_id, weekday, hour
