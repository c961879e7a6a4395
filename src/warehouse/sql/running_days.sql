-- Days that run, or have been over for less than a while: what they are built up to (`last_cut`, 0 for nothing that counts). A late event that
-- was named just now may still be on its way, and would open the day again.
SELECT project_id, day, key_days, if(is_open, 0, cut) AS last_cut, toUnixTimestamp64Milli(now64(3)) AS now_ms
FROM project_days(projects = {projects:Array(String)})
WHERE (is_open OR cut > 0)
    AND notEmpty(key_days)
    AND day BETWEEN toDate(now('UTC') - {running_s:UInt32}) AND toDate(now('UTC'))
    AND NOT arrayExists(key -> (project_id, key) IN
    (
        SELECT project_id, key_day FROM event_days WHERE touched_at > now64(3) - toIntervalSecond({settle_s:UInt32})
    ), key_days)
ORDER BY day, project_id
