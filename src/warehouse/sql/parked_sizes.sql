-- Of given parked events how large it is what was sent, and how it begins. In no order: a sort would hold all of it at once.
SELECT
    id,
    length(raw) AS raw_bytes,
    substringUTF8(raw, 1, {head_chars:UInt32}) AS head
FROM parked_events
WHERE project_id IN {projects:Array(String)}
    AND received_at >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC')
    AND received_at <= fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')
    AND id IN {ids:Array(String)}
