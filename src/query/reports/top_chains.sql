-- Sessions and visitors by the chains of their events. See top_sources.sql for how closed and open days come together; a session counts
-- under every chain of its events, so those of open days need not be made. `session` holds the day (0002_events.sql): two days are two of them.
/*running{*/
WITH
/*delta*/
/*}running*/
SELECT
    CAST(project_id, 'String') AS project_id,
    CAST(value, 'String') AS chain_id,
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
        toInt64(sessions) AS n_sessions,
        toInt64(arraySum((seen, n) -> if(seen <= toUInt16(begins), n, 0), seen_before, visitors)) AS n_visitors
    FROM rollups
    WHERE project_id IN {projects:Array(String)} AND dimension = 'chain_id' AND day BETWEEN {first_day:Date} AND {last_day:Date} AND snapshot IN {snapshots:Array(UInt64)} AND build IN /*builds*/
    /*changing{*/
    UNION ALL
    SELECT
        project_id,
        value,
        toInt64(uniqExactIf(session, kind = 1)) - toInt64(uniqExactIf(session, kind = 2)),
        toInt64(uniqExactIf(visitor, kind != 2)) - toInt64(uniqExactIf(visitor, kind != 1))
    FROM
    (
        /*open{*/
        SELECT project_id, toString(events.chain_id) AS value, visitor, session, 1 AS kind
        /*events*/
            AND events.chain_id != ''
        UNION ALL
        /*}open*/
        /*running{*/
        SELECT project_id, toString(events.chain_id) AS value, visitor, session, kind
        /*changed*/
            AND events.chain_id != ''
        UNION ALL
        /*}running*/
        SELECT project_id, toString(chain_id), visitor, toUInt64(0), 3
        FROM chain_visitors
        PREWHERE
            /*open{*/
            visitor IN (SELECT visitor FROM events WHERE project_id IN {open_projects:Array(String)} AND day IN {key_days:Array(Date)} /*pairs{*/AND (project_id, day) IN {keys:Array(Tuple(String, Date))}/*}pairs*/ AND chain_id != '')
            /*}open*/
            /*mixed{*/OR/*}mixed*/
            /*running{*/
            visitor IN delta.3
            /*}running*/
        WHERE project_id IN {projects:Array(String)} AND day BETWEEN {first_day:Date} AND {last_day:Date} AND snapshot IN {snapshots:Array(UInt64)} AND build IN /*builds*/
    )
    GROUP BY project_id, value
    /*}changing*/
    /*reopened{*/
    UNION ALL
    SELECT project_id, value, 0, toInt64(count())
    FROM
    (
        SELECT project_id, chain_id AS value, visitor
        FROM chain_visitors
        PREWHERE visitor IN (SELECT visitor FROM chain_visitors WHERE project_id IN {projects:Array(String)} AND snapshot IN {snapshots:Array(UInt64)} AND build IN {reopened:Array(UInt64)})
        WHERE project_id IN {projects:Array(String)}
            AND day BETWEEN {first_day:Date} AND {last_day:Date}
            AND snapshot IN {snapshots:Array(UInt64)}
            AND (build IN /*builds*/ OR build IN {reopened:Array(UInt64)})
        GROUP BY project_id, value, visitor
        HAVING max(build NOT IN {reopened:Array(UInt64)}) AND argMin(build, day) IN {reopened:Array(UInt64)}
    )
    GROUP BY project_id, value
    /*}reopened*/
)
GROUP BY project_id, value
HAVING sessions > 0
ORDER BY visitors DESC, sessions DESC, value, project_id
LIMIT {limit:UInt32} OFFSET {offset:UInt32}
