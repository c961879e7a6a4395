-- What one day adds to each value of each dimension: its hits, its sessions, and its visitors by when each was last seen under
-- that value. The rows of one part of the visitors stand beside those of another: all of it is summed when it is read.
INSERT INTO rollups
WITH
    builds AS
    (
        SELECT max(build) FROM closed_days WHERE project_id IN {projects:Array(String)} AND day < {day:Date} GROUP BY project_id, day
        UNION ALL
        SELECT {build:UInt64} + arrayJoin(arrayEnumerate({projects:Array(String)}))
    ),
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
    sum(seen_hits) AS hits,
    sum(seen_sessions) AS sessions,
    groupArray(last_seen) AS seen_before,
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
            maxIf(seen_on, seen_on < {day:Date}) AS last_seen
        FROM
        (
            SELECT
                project_id,
                seen_on,
                visitor,
                pair.1 AS dimension,
                pair.2 AS value,
                if(nth = 1, hits, 0) AS n_hits,
                nth = 1 AS n_sessions
            FROM
            (
                SELECT
                    project_id,
                    day AS seen_on,
                    hits,
                    visitor,
                    nth,
                    [
                        ('referrer', if(referrer = '', 'Direct', toString(referrer))),
                        ('referrer_url', referrer_url),
                        ('ref', toString(ref)),
                        ('utm_source', toString(utm_source)),
                        ('utm_medium', toString(utm_medium)),
                        ('utm_campaign', toString(utm_campaign)),
                        ('utm_term', toString(utm_term)),
                        ('utm_content', toString(utm_content)),
                        ('origin', toString(origin)),
                        ('device', toString(device)),
                        ('browser', toString(browser)),
                        ('os', toString(os)),
                        ('channel', toString(channel))
                    ] AS pairs
                FROM sessions
                ARRAY JOIN visitors AS visitor, arrayEnumerate(visitors) AS nth
                WHERE project_id IN {projects:Array(String)} AND build IN builds AND visitor IN here
            )
            ARRAY JOIN pairs AS pair
            UNION ALL
            SELECT
                project_id,
                seen_on,
                chain.2 AS visitor,
                'chain_id' AS dimension,
                chain.1 AS value,
                0 AS n_hits,
                indexOf(chains.1, chain.1) = nth AS n_sessions
            FROM
            (
                SELECT
                    project_id,
                    day AS seen_on,
                    arrayDistinct(arrayFilter(one -> one.1 != '', arrayZip(CAST(e_chain, 'Array(String)'), e_visitor))) AS chains
                FROM sessions
                WHERE project_id IN {projects:Array(String)} AND build IN builds
            )
            ARRAY JOIN chains AS chain, arrayEnumerate(chains) AS nth
            WHERE visitor IN here
        )
        GROUP BY project_id, dimension, value, visitor
        HAVING max(seen_on) = {day:Date}
    )
    GROUP BY project_id, dimension, value, last_seen
)
GROUP BY project_id, dimension, value
