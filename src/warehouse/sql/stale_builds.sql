-- Builds of days that are over whose rows count no more: a later one of the same day has been named for a while, or they were begun long ago and never named.
SELECT toString(project_id) AS project, toString(day) AS of_day, stale
FROM
(
    SELECT project_id, day, groupUniqArrayIf(build, named = 0) AS builds, maxIf(build, named = 1) AS current
    FROM
    (
        SELECT project_id, day, build, 0 AS named FROM {table:Identifier} /*closed*/ GROUP BY project_id, day, build
        UNION ALL
        SELECT project_id, day, max(build) AS build, 1 AS named FROM closed_days GROUP BY project_id, day
    )
    GROUP BY project_id, day
)
ARRAY JOIN builds AS stale
WHERE (stale < current AND current < {replaced_before:UInt64}) OR (stale != current AND stale < {unfinished_before:UInt64})
LIMIT {limit:UInt32}
