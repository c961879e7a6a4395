-- The outcomes of the events of some projects, per minute of receipt.
SELECT
    project_id,
    toUnixTimestamp64Milli(minute) AS at_ms,
    outcome,
    reason,
    sum(events) AS n_events
FROM ledger
WHERE project_id IN {projects:Array(String)}
    AND minute >= fromUnixTimestamp64Milli({from_ms:Int64})
    AND minute < fromUnixTimestamp64Milli({to_ms:Int64})
GROUP BY project_id, minute, outcome, reason
ORDER BY project_id, at_ms, outcome, reason
