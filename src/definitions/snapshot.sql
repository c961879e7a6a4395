-- The events that builds of running days hold.
FROM day_events AS events
WHERE project_id IN {projects:Array(String)} AND day = {day:Date} AND snapshot = {snapshot:UInt64} AND toDate(timestamp) = day
