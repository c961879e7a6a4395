-- Parked events that wait for somebody to look at them, newest first, from behind a given one, by the beginning of what was sent.
SELECT
    project_id,
    toUnixTimestamp64Milli(received_at) AS received_ms,
    id,
    reason,
    details,
    rules,
    country,
    message_id,
    head,
    raw_bytes
FROM parked_events
WHERE project_id IN {projects:Array(String)}
    AND received_at <= fromUnixTimestamp64Milli({before_ms:Int64})
    AND (received_at < fromUnixTimestamp64Milli({before_ms:Int64}) OR id < {before_id:String})
    AND ({reason:String} = '' OR reason = {reason:String})
    AND ({id:String} = '' OR id = {id:String})
ORDER BY received_ms DESC, id DESC
LIMIT {limit:UInt32}
