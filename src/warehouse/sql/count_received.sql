-- Events of running days that a build up to the cut would have and the last one has not, by project.
SELECT toString(project_id) AS project, count() AS n
FROM events
WHERE (project_id, day) IN {keys:Array(Tuple(String, Date))}
    AND first >= {cut:UInt64}
    AND first < transform(toString(project_id), {projects:Array(String)}, {last_cuts:Array(UInt64)}, toUInt64(0))
GROUP BY project_id
