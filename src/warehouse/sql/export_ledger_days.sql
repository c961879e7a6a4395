-- The number of ledger rows per day of receipt.
SELECT toDate(minute) AS of_day, count() AS n_rows
FROM ledger
WHERE minute < fromUnixTimestamp64Milli({to_ms:Int64})
GROUP BY of_day
ORDER BY of_day
