-- What one day adds to each value of each dimension: its hits, its sessions, and its visitors by when each was last seen under
-- that value (days since 1970, counted from 1; 0 for never). The rows of one part of the visitors stand beside those of another: all of it
-- is summed when it is read.
INSERT INTO rollups (project_id, dimension, value, day, build, snapshot, hits, sessions, seen_before, visitors)
WITH
    here AS
    (
        SELECT arrayJoin(visitors) AS visitor
        FROM sessions
        WHERE project_id IN {projects:Array(String)} AND day = {day:Date} AND build > {build:UInt64} AND build <= {build:UInt64} + length({projects:Array(String)}) AND visitor % {chunks:UInt32} = {chunk:UInt32}
    )
SELECT
    project_id,
    dimension,
    value,
    {day:Date} AS day,
    {build:UInt64} + indexOf({projects:Array(String)}, project_id) AS build,
    {snapshot:UInt64} AS snapshot,
    sum(seen_hits) AS hits,
    sum(seen_sessions) AS sessions,
    groupArray(toUInt16(last_seen)) AS seen_before,
    groupArray(seen_visitors) AS visitors
FROM
(
    SELECT
        project_id,
        dimension,
        value,
        last_seen,
        sum(own_hits) AS seen_hits,
        sum(own_sessions) AS seen_sessions,
        toUInt32(count()) AS seen_visitors
    FROM
    (
        SELECT
            project_id,
            dimension,
            value,
            visitor,
            sumIf(n_hits, seen_on = {day:Date}) AS own_hits,
            sumIf(n_sessions, seen_on = {day:Date}) AS own_sessions,
            maxIf(toUInt16(seen_on) + 1, seen_on < {day:Date}) AS last_seen
        FROM
        (
            SELECT
                project_id,
                seen_on,
                visitor,
                pair.1 AS dimension,
                if(pair.1 = 'referrer' AND pair.2 = '', 'Direct', pair.2) AS value,
                n_hits,
                n_sessions
            FROM
            (
                SELECT project_id, day AS seen_on, visitor, if(nth = 1, hits, 0) AS n_hits, nth = 1 AS n_sessions, [/*touch*/] AS touch
                FROM sessions
                ARRAY JOIN visitors AS visitor, arrayEnumerate(visitors) AS nth
                WHERE project_id IN {projects:Array(String)} AND day = {day:Date} AND build > {build:UInt64} AND build <= {build:UInt64} + length({projects:Array(String)}) AND visitor % {chunks:UInt32} = {chunk:UInt32}
                UNION ALL
                SELECT project_id, day, visitor, 0, 0, CAST(touch, 'Array(String)')
                FROM visits
                PREWHERE visitor IN here
                WHERE project_id IN {projects:Array(String)} AND snapshot IN {snapshots:Array(UInt64)} AND build IN {earlier:Array(UInt64)}
            )
            ARRAY JOIN arrayZip([/*dimensions*/], touch) AS pair
            UNION ALL
            SELECT
                project_id,
                day AS seen_on,
                visitor,
                'chain_id' AS dimension,
                toString(chain_id) AS value,
                0 AS n_hits,
                sessions AS n_sessions
            FROM chain_visitors
            PREWHERE visitor IN here
            WHERE project_id IN {projects:Array(String)} AND (snapshot IN {snapshots:Array(UInt64)} AND build IN {earlier:Array(UInt64)} OR (build > {build:UInt64} AND build <= {build:UInt64} + length({projects:Array(String)})))
        )
        GROUP BY project_id, dimension, value, visitor
        HAVING max(seen_on) = {day:Date}
    )
    GROUP BY project_id, dimension, value, last_seen
)
GROUP BY project_id, dimension, value
