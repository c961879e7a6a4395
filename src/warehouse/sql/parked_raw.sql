-- The sent texts of some parked events, in pieces.
SELECT id, nth, text
FROM parked_raw
WHERE project_id IN {projects:Array(String)}
    AND received_at >= fromUnixTimestamp64Milli({from_ms:Int64})
    AND received_at <= fromUnixTimestamp64Milli({to_ms:Int64})
    AND id IN {ids:Array(String)}
ORDER BY id, nth
