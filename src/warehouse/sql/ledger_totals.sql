-- The outcomes of the events of all projects.
SELECT
    outcome,
    reason,
    sum(events) AS n_events
FROM ledger
WHERE minute >= fromUnixTimestamp64Milli({from_ms:Int64})
    AND minute < fromUnixTimestamp64Milli({to_ms:Int64})
GROUP BY outcome, reason
ORDER BY outcome, reason
