-- Days that are over, but open or built only up to a cut, and have been left alone for a while: an insert under way may still add to one touched just now. A build
-- counts as begun before that while: a day that somebody names from now on, or has named unseen, is open again. Removed days are left
-- alone: reports tell by their old builds what later ones rest on (query/days.ts).
SELECT project_id, day, key_days, toUnixTimestamp64Milli(now64(3)) - {settle_s:UInt32} * 1000 AS started_ms
FROM project_days(projects = {projects:Array(String)})
WHERE (is_open OR cut > 0)
    AND notEmpty(key_days)
    AND day < toDate(now('UTC') - {grace_s:UInt32})
    AND NOT arrayExists(key -> (project_id, key) IN
    (
        SELECT project_id, key_day FROM event_days WHERE touched_at > now64(3) - toIntervalSecond({settle_s:UInt32})
    ), key_days)
ORDER BY day, project_id
