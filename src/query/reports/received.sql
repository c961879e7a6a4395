-- How many events were received since running days were built, and how many of them are strays: under the key of another day.
SELECT toString(project_id) AS project, toString(toDate(timestamp)) AS day, count() AS received, countIf(events.day != toDate(timestamp)) AS strays
FROM events
PREWHERE first < {cut:UInt64}
WHERE project_id IN {running_projects:Array(String)}
    AND events.day IN {running_key_days:Array(Date)}
    AND first < transform(toString(project_id), {running_projects:Array(String)}, {running_cuts:Array(UInt64)}, toUInt64(0))
GROUP BY project, day
