-- A page of parked events, newest first, after a position.
SELECT
    project_id,
    toUnixTimestamp64Milli(received_at) AS received_ms,
    id,
    reason,
    details,
    message_id,
    head,
    raw_bytes
FROM parked_events
WHERE project_id IN {projects:Array(String)}
    AND (toUnixTimestamp64Milli(received_at) < {before_ms:Int64}
        OR toUnixTimestamp64Milli(received_at) = {before_ms:Int64} AND id > {behind_id:String})
    AND ({reason:String} = '' OR reason = {reason:String})
ORDER BY received_ms DESC, id
LIMIT {limit:UInt32}
