-- What was sent, of given parked events. A row that is written twice may come twice.
SELECT id, raw
FROM parked_events
WHERE project_id IN {projects:Array(String)}
    AND received_at >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC')
    AND received_at <= fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')
    AND id IN {ids:Array(String)}
