-- Which days of the window have to be read from the events, where those are, the last build that anyone may rely on, and the first
-- day that each project has.
SELECT toString(project_id) AS project, toString(day) AS open_day, build, key_days, toUInt64(0) AS known_build, '' AS first_kept
FROM open_days(projects = {projects:Array(String)})
WHERE day BETWEEN {first_day:Date} AND {last_day:Date}
UNION ALL
SELECT '', '', 0, [], max(build), '' FROM closed_days WHERE project_id IN {projects:Array(String)}
UNION ALL
SELECT toString(project_id), '', 0, [], 0, toString(min(day)) FROM event_days WHERE project_id IN {projects:Array(String)} GROUP BY project_id
