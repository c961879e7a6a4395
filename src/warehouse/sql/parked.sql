-- Parked events that wait for somebody to look at them, newest first, from behind a given one. Without what was sent, which may be large.
SELECT
    project_id,
    formatDateTime(received_at, '%Y-%m-%dT%H:%i:%S.%fZ', 'UTC') AS at,
    toUnixTimestamp64Milli(received_at) AS received_ms,
    id,
    reason,
    details,
    rules,
    country,
    message_id
FROM parked_events FINAL
WHERE project_id IN {projects:Array(String)}
    AND replayed = 0
    AND received_at <= fromUnixTimestamp64Milli({before_ms:Int64}, 'UTC')
    AND (toUnixTimestamp64Milli(received_at), id) < ({before_ms:Int64}, {before_id:String})
    AND ({reason:String} = '' OR reason = {reason:String})
    AND ({id:String} = '' OR id = {id:String})
ORDER BY received_at DESC, id DESC
LIMIT {limit:UInt32}
