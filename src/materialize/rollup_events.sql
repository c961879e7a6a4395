-- Events by type and name; and the number of events in sessions that the rollups leave out, so that a partition without
-- any other session is known, too.
SELECT concat('event ', e.type) AS dimension, e.event AS value, count() AS hits
FROM events AS e
WHERE e.project_id = {project:String} AND e.day = {day:Date} AND e.session % {slices:UInt64} = {slice:UInt64}
    AND {is_counted:Condition}
GROUP BY e.type, e.event
UNION ALL
SELECT 'left out' AS dimension, v.device AS value, sum(v.events) AS hits
FROM sessions AS v
WHERE v.project_id = {project:String} AND v.day = {day:Date} AND v.session % {slices:UInt64} = {slice:UInt64}
    AND v.device IN {left_out:Array(String)}
GROUP BY v.device
