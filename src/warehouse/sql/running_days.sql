-- Days that run, or have been over for less than a while: what they are built up to (`last_cut`, 0 for nothing that counts). A late event that
-- was named just now may still be on its way, and would open the day again. One whose build has to be replaced is built in any case.
SELECT
    project_id,
    day,
    key_days,
    if(is_open, 0, cut) AS last_cut,
    is_open AND cut > 0 AS is_due,
    toUnixTimestamp64Milli(now64(3)) AS now_ms
FROM project_days(projects = {projects:Array(String)})
WHERE (is_open OR cut > 0)
    AND notEmpty(key_days)
    AND day BETWEEN toDate(now('UTC') - {running_s:UInt32}) AND toDate(now('UTC'))
    AND touched_late < now_ms - {settle_s:UInt32} * 1000
ORDER BY day, project_id
