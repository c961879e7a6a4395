-- The state of the window's days: the builds of closed ones, the open ones and where their events are, the builds those had, and the projects
-- whose first day lies within the window.
SELECT
    groupArrayIf(build, NOT is_open AND build > 0) AS builds,
    groupArrayIf((project_id, day), is_open) AS days,
    arrayDistinct(arrayFlatten(groupArrayIf(arrayMap(key -> (project_id, key), key_days), is_open))) AS keys,
    groupArrayIf(build, is_open AND build > 0) AS reopened,
    (
        SELECT groupArray((project_id, begins))
        FROM (SELECT project_id, min(day) AS begins FROM event_days WHERE project_id IN {projects:Array(String)} GROUP BY project_id)
        WHERE begins > {first_day:Date}
    ) AS shortened
FROM project_days(projects = {projects:Array(String)})
WHERE day BETWEEN {first_day:Date} AND {last_day:Date}
