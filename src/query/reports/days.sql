-- The state of the window's days: the builds of closed ones, the open ones and where their events are, and the builds those had.
SELECT
    groupArrayIf(build, NOT is_open AND build > 0) AS builds,
    groupArrayIf((project_id, day), is_open) AS days,
    arrayDistinct(arrayFlatten(groupArrayIf(arrayMap(key -> (project_id, key), key_days), is_open))) AS keys,
    groupArrayIf(build, is_open AND build > 0) AS reopened
FROM project_days(projects = {projects:Array(String)})
WHERE day BETWEEN {first_day:Date} AND {last_day:Date}
