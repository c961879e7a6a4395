-- Sessions by where they began: each counts once, under the first touch. Closed days come from their rollups; the sessions of open
-- days are made from the events. Of the visitors seen on open days, those who count already must not count again: they are looked up
-- among the sessions of the closed days. A day that was closed before has a third part: the rollups of later days rest on what it held
-- then and leave its visitors to it, so those of them who came on closed days later count here.
SELECT
    CAST(project_id, 'String') AS project_id,
    CAST(value, 'String') AS {alias:Identifier},
    toUInt64(sum(n_hits)) AS hits,
    toUInt64(sum(n_sessions)) AS sessions,
    toUInt64(sum(n_visitors)) AS visitors
FROM
(
    WITH greatest({first_day:Date}, transform(toString(project_id), {short_projects:Array(String)}, {short_days:Array(Date)}, toDate(0))) AS begins
    SELECT
        project_id,
        value,
        toInt64(hits) AS n_hits,
        toInt64(sessions) AS n_sessions,
        toInt64(arraySum((seen, n) -> if(seen <= toUInt16(begins), n, 0), seen_before, visitors)) AS n_visitors
    FROM rollups
    WHERE project_id IN {projects:Array(String)} AND dimension = {column:String} AND day BETWEEN {first_day:Date} AND {last_day:Date} AND build IN /*builds*/
    /*open{*/
    UNION ALL
    SELECT
        project_id,
        if({column:String} = 'referrer' AND {column:Identifier} = '', 'Direct', toString({column:Identifier})) AS value,
        toInt64(sum(hits)),
        toInt64(countIf(is_live)),
        toInt64(uniqExactArray(visitors)) - toInt64(uniqExactArrayIf(visitors, NOT is_live))
    FROM
    (
        /*live*/
        UNION ALL
        SELECT project_id, visitors, toUInt64(0), {column:Identifier}, false
        FROM sessions
        PREWHERE visitors[1] IN (SELECT visitor FROM events WHERE project_id IN {open_projects:Array(String)} AND day IN {key_days:Array(Date)} /*pairs{*/AND (project_id, day) IN {keys:Array(Tuple(String, Date))}/*}pairs*/) OR length(visitors) > 1
        WHERE project_id IN {projects:Array(String)} AND day BETWEEN {first_day:Date} AND {last_day:Date} AND build IN /*builds*/
    )
    GROUP BY project_id, value
    /*}open*/
    /*reopened{*/
    UNION ALL
    SELECT project_id, value, 0, 0, toInt64(count())
    FROM
    (
        SELECT
            project_id,
            if({column:String} = 'referrer' AND {column:Identifier} = '', 'Direct', toString({column:Identifier})) AS value,
            visitor
        FROM sessions
        ARRAY JOIN visitors AS visitor
        WHERE project_id IN {projects:Array(String)}
            AND day BETWEEN {first_day:Date} AND {last_day:Date}
            AND (build IN /*builds*/ OR build IN {reopened:Array(UInt64)})
            AND visitor IN (SELECT arrayJoin(visitors) FROM sessions WHERE project_id IN {projects:Array(String)} AND build IN {reopened:Array(UInt64)})
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
