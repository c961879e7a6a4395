-- Partitions of running days of which no build counts any more: see stale_builds.sql.
SELECT month, snapshot
FROM
(
    SELECT project_id, day, groupUniqArrayIf((build, snapshot), named = 0) AS builds, maxIf(build, named = 1) AS current
    FROM
    (
        SELECT project_id, day, build, snapshot, 0 AS named FROM {table:Identifier} WHERE snapshot > 0 GROUP BY project_id, day, build, snapshot
        UNION ALL
        SELECT project_id, day, max(build) AS build, 0, 1 AS named FROM closed_days GROUP BY project_id, day
    )
    GROUP BY project_id, day
)
ARRAY JOIN builds AS each
GROUP BY toYYYYMM(day) AS month, each.2 AS snapshot
HAVING min((each.1 < current AND current < {replaced_before:UInt64}) OR (each.1 != current AND each.1 < {unfinished_before:UInt64}))
LIMIT {limit:UInt32}
