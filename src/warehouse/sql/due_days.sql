-- Days that are over, open and have been left alone for a while: an insert under way may still add to one touched just now.
SELECT project_id, day, key_days
FROM project_days(projects = {projects:Array(String)})
WHERE is_open
    AND day < toDate(now('UTC') - {grace_s:UInt32})
    AND (project_id, day) NOT IN
    (
        SELECT project_id, day FROM event_days WHERE touched_at > now64(3) - toIntervalSecond({settle_s:UInt32})
    )
ORDER BY day, project_id
