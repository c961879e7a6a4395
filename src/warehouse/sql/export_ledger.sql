-- The ledger of a range of minutes.
SELECT project_id, toUnixTimestamp64Milli(minute) AS at_ms, outcome, reason, day, sum(events) AS n_events
FROM ledger
WHERE minute >= fromUnixTimestamp64Milli({from_ms:Int64}) AND minute < fromUnixTimestamp64Milli({to_ms:Int64})
GROUP BY project_id, minute, outcome, reason, day
