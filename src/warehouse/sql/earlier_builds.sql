-- The builds of days before this one that count, of each project. What a build rests on is noted as one number; see project_days.
SELECT
    toString(project_id) AS project,
    groupArray(last_build) AS builds,
    groupUniqArray(of_snapshot) AS snapshots,
    toString(groupBitXor(cityHash64(day, last_build))) AS rests_on
FROM
(
    SELECT project_id, day, max(build) AS last_build, argMax(snapshot, build) AS of_snapshot
    FROM closed_days
    WHERE project_id IN {projects:Array(String)} AND day < {day:Date}
    GROUP BY project_id, day
)
GROUP BY project_id
