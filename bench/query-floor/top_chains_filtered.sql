-- Scan floor of top_chains with filters: session filters apply to the first touch, the event filter to the event with
-- the chain.
SELECT project_id, chain_id, count(DISTINCT session) AS sessions, count(DISTINCT visitor) AS visitors
FROM events
WHERE project_id IN {projects:Array(String)} AND day BETWEEN {first_day:Date} AND {last_day:Date}
    AND chain_id != '' AND ({event:String} = '' OR event = {event:String})
    AND (project_id, session) IN
    (
        SELECT project_id, session
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
                ) AS first_device
            FROM events
            WHERE project_id IN {projects:Array(String)} AND day BETWEEN {first_day:Date} AND {last_day:Date}
            GROUP BY project_id, session
        ) AS s
        WHERE ({device:String} = '' OR first_device = {device:String})
            AND ({part:String} = '' OR position({part:String} IN lower(first_referrer)) > 0)
    )
GROUP BY project_id, chain_id
ORDER BY visitors DESC, sessions DESC, chain_id, project_id
LIMIT 50
