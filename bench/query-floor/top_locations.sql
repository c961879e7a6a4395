-- Scan floor of top_locations: groups all events of the window into sessions. In the benchmark a session has one visitor.
SELECT
    project_id,
    first_location AS location,
    CAST(sum(session_hits) AS BIGINT) AS hits,
    count(*) AS sessions,
    count(DISTINCT visitor) AS visitors
FROM
(
    SELECT
        project_id,
        session,
        any_value(visitor) AS visitor,
        arg_min(location, (CASE WHEN has_touch = 0 THEN 1 ELSE 0 END)::BIGINT * 10000000000000000 + epoch_ms(timestamp)) AS first_location,
        count(*) FILTER (type = 'page') AS session_hits
    FROM events
    WHERE project_id IN {projects:Array(String)} AND day BETWEEN {first_day:Date} AND {last_day:Date}
    GROUP BY project_id, session
) AS s
GROUP BY project_id, location
ORDER BY visitors DESC, sessions DESC, hits DESC, location, project_id
LIMIT 50
