-- The days of some projects: which are open, where their events are, and the builds they have.
SELECT project_id, day, build, cut, snapshot, is_open, arraySort(key_days) AS key_days FROM project_days(projects = {projects:Array(String)}) ORDER BY project_id, day
