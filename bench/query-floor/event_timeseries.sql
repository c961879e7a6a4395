-- Scan floor of event_timeseries. The benchmark has few names, so that all have rows of their own.
SELECT day AS date, CASE WHEN type = 'track' AND event != '' THEN event ELSE type END AS event_key, count(*) AS count
FROM events
WHERE project_id IN {projects:Array(String)} AND day BETWEEN {first_day:Date} AND {last_day:Date}
GROUP BY day, event_key
ORDER BY date, count DESC, event_key
