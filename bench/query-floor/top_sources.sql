-- Scan floor of top_sources by referrer: groups all events of the window into sessions and counts those. An empty
-- parameter filters nothing.
SELECT
    project_id,
    CASE WHEN first_referrer = '' THEN 'Direct' ELSE first_referrer END AS referrer,
    CAST(sum(CASE WHEN nth = 1 THEN session_hits ELSE 0 END) AS BIGINT) AS hits,
    count(*) FILTER (nth = 1) AS sessions,
    count(DISTINCT visitor) AS visitors
FROM
(
    SELECT
        s.project_id,
        first_referrer,
        session_hits,
        unnest(session_visitors) AS visitor,
        generate_subscripts(session_visitors, 1) AS nth
    FROM
    (
        SELECT
            project_id,
            session,
            arg_min(
                referrer, (CASE WHEN has_touch = 0 THEN 1 ELSE 0 END)::BIGINT * 10000000000000000 + epoch_ms(timestamp)
            ) AS first_referrer,
            arg_min(
                device, (CASE WHEN has_touch = 0 THEN 1 ELSE 0 END)::BIGINT * 10000000000000000 + epoch_ms(timestamp)
            ) AS first_device,
            count(*) FILTER (type = 'page') AS session_hits,
            list(DISTINCT visitor) AS session_visitors,
            count(*) FILTER ({event:String} = '' OR event = {event:String}) AS matches
        FROM events
        WHERE project_id IN {projects:Array(String)} AND day BETWEEN {first_day:Date} AND {last_day:Date}
        GROUP BY project_id, session
    ) AS s
    WHERE matches > 0
        AND ({device:String} = '' OR first_device = {device:String})
        AND ({part:String} = '' OR position({part:String} IN lower(first_referrer)) > 0)
) AS v
GROUP BY project_id, referrer
ORDER BY visitors DESC, sessions DESC, hits DESC, referrer, project_id
LIMIT 50
