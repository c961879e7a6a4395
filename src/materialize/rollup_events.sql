-- Events by type and name.
SELECT concat('event ', e.type) AS dimension, e.event AS value, count() AS hits
FROM events AS e
WHERE e.project_id = {project:String} AND e.day = {day:Date} AND e.session % {slices:UInt64} = {slice:UInt64}
GROUP BY e.type, e.event
