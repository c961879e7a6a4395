-- Which days of the window have to be read from the events, where those are, and the last build that anyone may rely on.
SELECT toString(project_id) AS project, toString(day) AS open_day, build, key_days, toUInt64(0) AS known_build
FROM open_days(projects = {projects:Array(String)})
WHERE day BETWEEN {first_day:Date} AND {last_day:Date}
UNION ALL
SELECT '', '', 0, [], max(build) FROM closed_days WHERE project_id IN {projects:Array(String)}
