-- Parts with rows that are over their time, and whether others stay in them. Months are partitions: a part is in one of them as a whole.
SELECT _part AS part, count() AS stored, countIf(/*expired*/) AS expired
FROM /*table*/
WHERE toYYYYMM(day) IN {months:Array(UInt32)}
GROUP BY part
HAVING expired > 0
ORDER BY part
