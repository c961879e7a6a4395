-- Scan floor of top_chains with filters: those on sessions look at the first touch, the one on events at the event with the chain.
WITH bitShiftLeft(toUInt64(has_touch = 0), 63) + toUnixTimestamp64Milli(timestamp) AS rank
SELECT project_id, chain.1 AS chain_id, uniqExact(session) AS sessions, uniqExact(chain.2) AS visitors
FROM
(
    SELECT
        project_id,
        session,
        argMin(referrer, rank) AS first_referrer,
        argMin(device, rank) AS first_device,
        groupUniqArrayIf((chain_id, visitor), chain_id != '' AND ({event:String} = '' OR event = {event:String})) AS chains
    FROM events FINAL
    WHERE project_id IN {projects:Array(String)}
        AND day BETWEEN {first_day:Date} - 1 AND {last_day:Date} + 1
        AND toDate(timestamp) BETWEEN {first_day:Date} AND {last_day:Date}
    GROUP BY project_id, session
)
ARRAY JOIN chains AS chain
WHERE ({device:String} = '' OR first_device = {device:String})
    AND ({part:String} = '' OR position(lower(first_referrer), {part:String}) > 0)
GROUP BY project_id, chain_id
ORDER BY visitors DESC, sessions DESC, chain_id, project_id
LIMIT 50
