-- Sessions by where they began: each counts once, under the first touch. Closed days come from their rollups, and running ones as they were when
-- they were built. What changes that is added: the sessions of open days are made from the events (kind 1), and so are those of running days
-- that got events since, beside what they were before (kind 2). Of their visitors, those who count already must not count again: they
-- are looked up among all other visits of the window (kind 3). A day that was closed before has a third part: the rollups of later days rest on
-- what it held then and leave its visitors to it, so those of them who came on closed days later count here.
/*running{*/
WITH
/*delta*/,
(SELECT groupUniqArray(visitor) FROM day_events WHERE build IN {running:Array(UInt64)} AND snapshot IN {snapshots:Array(UInt64)} AND session IN delta.2) AS known
/*}running*/
SELECT
    CAST(project_id, 'String') AS project_id,
    CAST(value, 'String') AS {alias:Identifier},
    toUInt64(sum(n_hits)) AS hits,
    toUInt64(sum(n_sessions)) AS sessions,
    toUInt64(sum(n_visitors)) AS visitors
FROM
(
    /*shortened{*/
    WITH greatest({first_day:Date}, transform(toString(project_id), {short_projects:Array(String)}, {short_days:Array(Date)}, toDate(0))) AS begins
    /*}shortened*/
    /*unshortened{*/
    WITH {first_day:Date} AS begins
    /*}unshortened*/
    SELECT
        project_id,
        value,
        toInt64(hits) AS n_hits,
        toInt64(sessions) AS n_sessions,
        toInt64(arraySum((seen, n) -> if(seen <= toUInt16(begins), n, 0), seen_before, visitors)) AS n_visitors
    FROM rollups
    WHERE project_id IN {projects:Array(String)} AND dimension = {column:String} AND day BETWEEN {first_day:Date} AND {last_day:Date} AND snapshot IN {snapshots:Array(UInt64)} AND build IN /*builds*/
    /*changing{*/
    UNION ALL
    SELECT
        project_id,
        if({column:String} = 'referrer' AND {column:Identifier} = '', 'Direct', toString({column:Identifier})) AS value,
        toInt64(sumIf(hits, kind = 1)) - toInt64(sumIf(hits, kind = 2)),
        toInt64(countIf(kind = 1)) - toInt64(countIf(kind = 2)),
        toInt64(uniqExactArrayIf(visitors, kind != 2)) - toInt64(uniqExactArrayIf(visitors, kind != 1))
    FROM
    (
        /*open{*/
        /*live*/
        UNION ALL
        /*}open*/
        /*running{*/
        /*changed*/
        UNION ALL
        /*}running*/
        SELECT project_id, [visitor], toUInt64(0), touch[{nth:UInt8}], 3
        FROM visits
        PREWHERE
            /*open{*/
            visitor IN (SELECT visitor FROM events WHERE project_id IN {open_projects:Array(String)} AND day IN {key_days:Array(Date)} /*pairs{*/AND (project_id, day) IN {keys:Array(Tuple(String, Date))}/*}pairs*/)
            /*}open*/
            /*mixed{*/OR/*}mixed*/
            /*running{*/
            visitor IN arrayConcat(delta.3, known)
            /*}running*/
        WHERE day BETWEEN {first_day:Date} AND {last_day:Date}
            AND snapshot IN {snapshots:Array(UInt64)} AND build IN /*builds*/
            /*running{*/
            AND NOT (session IN delta.2 AND build IN {running:Array(UInt64)})
            /*}running*/
    )
    GROUP BY project_id, value
    /*}changing*/
    /*reopened{*/
    UNION ALL
    SELECT project_id, value, 0, 0, toInt64(count())
    FROM
    (
        SELECT
            project_id,
            if({column:String} = 'referrer' AND touch[{nth:UInt8}] = '', 'Direct', toString(touch[{nth:UInt8}])) AS value,
            visitor
        FROM visits
        WHERE project_id IN {projects:Array(String)}
            AND day BETWEEN {first_day:Date} AND {last_day:Date}
            AND snapshot IN {snapshots:Array(UInt64)}
            AND (build IN /*builds*/ OR build IN {reopened:Array(UInt64)})
            AND visitor IN (SELECT visitor FROM visits WHERE project_id IN {projects:Array(String)} AND snapshot IN {snapshots:Array(UInt64)} AND build IN {reopened:Array(UInt64)})
        GROUP BY project_id, value, visitor
        HAVING max(build NOT IN {reopened:Array(UInt64)}) AND argMin(build, day) IN {reopened:Array(UInt64)}
    )
    GROUP BY project_id, value
    /*}reopened*/
)
GROUP BY project_id, value
HAVING sessions > 0
ORDER BY visitors DESC, sessions DESC, hits DESC, value, project_id
LIMIT {limit:UInt32} OFFSET {offset:UInt32}
