-- What one day adds to the revenue under each value of each column.
INSERT INTO rollups (project_id, dimension, value, day, build, snapshot, hits, revenue)
SELECT
    project_id,
    concat('revenue ', pair.1) AS dimension,
    if(pair.1 = 'referrer' AND pair.2 = '', 'Direct', pair.2) AS value,
    day,
    build,
    snapshot,
    count(),
    sum(toInt128(round(revenue * 1e9)))
FROM revenue_events
ARRAY JOIN [/*pairs*/] AS pair
WHERE project_id IN {projects:Array(String)} AND day = {day:Date} AND build > {build:UInt64} AND build <= {build:UInt64} + length({projects:Array(String)})
GROUP BY project_id, dimension, value, day, build, snapshot
