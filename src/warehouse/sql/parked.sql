-- A page of parked events without their texts, after a position: newest first (`direction` -1) or oldest first (1).
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
    AND (toUnixTimestamp64Milli(received_at) * {direction:Int64} > {behind:Int64}
        OR toUnixTimestamp64Milli(received_at) * {direction:Int64} = {behind:Int64} AND id > {behind_id:String})
    AND ({reason:String} = '' OR reason = {reason:String})
    AND ({id:String} = '' OR id = {id:String})
ORDER BY toUnixTimestamp64Milli(received_at) * {direction:Int64}, id
LIMIT {limit:UInt32}
