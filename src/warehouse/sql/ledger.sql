-- What became of the events of each project, per minute of receipt: received = stored + duplicate + parked + refused.
-- "Written" counts every copy the writer handed over; the events table keeps one of each, under the minute of the first.
SELECT
    project_id,
    formatDateTime(minute, '%Y-%m-%dT%H:%i:%SZ', 'UTC') AS at,
    sum(written_n + parked_n + refused_n) AS received,
    sum(kept_n) AS stored,
    sum(written_n) - sum(kept_n) AS duplicate,
    sum(parked_n) AS parked,
    sum(refused_n) AS refused,
    sumMap(reasons_n) AS reasons
FROM
(
    SELECT
        project_id,
        minute,
        if(outcome = 'written', events, 0) AS written_n,
        if(outcome = 'parked', events, 0) AS parked_n,
        if(outcome = 'refused', events, 0) AS refused_n,
        toInt64(0) AS kept_n,
        if(outcome = 'written', CAST(map(), 'Map(String, Int64)'), map(concat(outcome, ':', reason), events)) AS reasons_n
    FROM ledger FINAL
    WHERE project_id IN {projects:Array(String)} AND minute >= {from:DateTime('UTC')} AND minute < {to:DateTime('UTC')}
    UNION ALL
    SELECT
        project_id,
        toStartOfMinute(toDateTime(received_at, 'UTC')) AS minute,
        toInt64(0) AS written_n,
        toInt64(0) AS parked_n,
        toInt64(0) AS refused_n,
        toInt64(count()) AS kept_n,
        CAST(map(), 'Map(String, Int64)') AS reasons_n
    FROM events FINAL
    -- By `first`, of which there is an index: by received_at, which is made from it, every event of the projects was read.
    WHERE project_id IN {projects:Array(String)}
        AND first <= 9007199254740991 - toUInt64(toUnixTimestamp({from:DateTime('UTC')})) * 1000
        AND first > 9007199254740991 - toUInt64(toUnixTimestamp({to:DateTime('UTC')})) * 1000
    GROUP BY project_id, minute
)
GROUP BY project_id, minute
ORDER BY project_id, minute
