-- Scan floor of top_events.
SELECT project_id, type, event, count(*) AS hits
FROM events
WHERE project_id IN {projects:Array(String)} AND day BETWEEN {first_day:Date} AND {last_day:Date}
GROUP BY project_id, type, event
ORDER BY hits DESC, type, event, project_id
LIMIT 50
