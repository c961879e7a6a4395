-- The outcomes of the events of some projects, by the time of receipt in equal steps.
SELECT
    intDiv(toUnixTimestamp64Milli(minute) - {from_ms:Int64}, {step_ms:Int64}) AS step,
    outcome,
    reason,
    sum(events) AS n_events
FROM ledger
WHERE project_id IN {projects:Array(String)}
    AND minute >= fromUnixTimestamp64Milli({from_ms:Int64})
    AND minute < fromUnixTimestamp64Milli({to_ms:Int64})
GROUP BY step, outcome, reason
