-- What became of the events of all projects that were received in a window, as ledger.sql says it of each.
-- The events of a batch are stored a moment before the ledger says so: then there seem to be more stored than written, and none of them is a copy.
SELECT
    sum(kept_n) AS stored,
    sum(greatest(written_n - kept_n, 0)) AS duplicate,
    sumMap(parked_n) AS parked,
    sumMap(refused_n) AS refused
FROM
(
    SELECT
        project_id,
        minute,
        sum(written_1) AS written_n,
        sum(kept_1) AS kept_n,
        sumMap(parked_1) AS parked_n,
        sumMap(refused_1) AS refused_n
    FROM
    (
        SELECT
            project_id,
            minute,
            if(outcome = 'written', events, 0) AS written_1,
            toInt64(0) AS kept_1,
            if(outcome = 'parked', map(toString(reason), events), CAST(map(), 'Map(String, Int64)')) AS parked_1,
            if(outcome = 'refused', map(toString(reason), events), CAST(map(), 'Map(String, Int64)')) AS refused_1
        FROM ledger FINAL
        WHERE minute >= {from:DateTime('UTC')} AND minute < {to:DateTime('UTC')}
        UNION ALL
        SELECT
            project_id,
            toStartOfMinute(toDateTime(received_at, 'UTC')) AS minute,
            toInt64(0) AS written_1,
            toInt64(count()) AS kept_1,
            CAST(map(), 'Map(String, Int64)') AS parked_1,
            CAST(map(), 'Map(String, Int64)') AS refused_1
        FROM events FINAL
        WHERE first <= 9007199254740991 - toUInt64(toUnixTimestamp({from:DateTime('UTC')})) * 1000
            AND first > 9007199254740991 - toUInt64(toUnixTimestamp({to:DateTime('UTC')})) * 1000
        GROUP BY project_id, minute
    )
    GROUP BY project_id, minute
)
