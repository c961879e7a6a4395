-- Scan floor of top_sources by referrer: all events of the window become sessions, and those are counted. An empty parameter filters nothing.
WITH bitShiftLeft(toUInt64(has_touch = 0), 63) + toUnixTimestamp64Milli(timestamp) AS rank
SELECT
    project_id,
    if(first_referrer = '', 'Direct', first_referrer) AS referrer,
    sum(session_hits) AS hits,
    count() AS sessions,
    uniqExactArray(session_visitors) AS visitors
FROM
(
    SELECT
        project_id,
        argMin(events.referrer, rank) AS first_referrer,
        argMin(device, rank) AS first_device,
        countIf(type = 'page') AS session_hits,
        groupUniqArray(visitor) AS session_visitors,
        countIf({event:String} = '' OR event = {event:String}) AS matches
    FROM events FINAL
    WHERE project_id IN {projects:Array(String)}
        AND day BETWEEN {first_day:Date} - 1 AND {last_day:Date} + 1
        AND toDate(timestamp) BETWEEN {first_day:Date} AND {last_day:Date}
    GROUP BY project_id, session
)
WHERE ({device:String} = '' OR first_device = {device:String})
    AND ({part:String} = '' OR position(lower(first_referrer), {part:String}) > 0)
    AND matches > 0
GROUP BY project_id, referrer
ORDER BY visitors DESC, sessions DESC, hits DESC, referrer, project_id
LIMIT 50
