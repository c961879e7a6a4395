-- Sessions and visitors by the chains of their events. See top_sources.sql for how closed and open days come together; a session counts
-- under every chain of its events, so those of open days need not be made. `session` holds the day (0002_events.sql): two days are two of them.
-- Of what was received since a running day was built, a session counts unless its build has it under that chain (`known`), and a visitor
-- unless there is one in any build of the window. Those are named by their number alone: a foreign build of the same number would give rows
-- without sessions, and those are left out.
/*running{*/
WITH
/*delta*/,
(
    SELECT (groupArray(key), groupUniqArrayIf((toString(project_id), session, toString(chain_id)), toDate(timestamp) = day))
    FROM day_events
    WHERE build IN {running:Array(UInt64)} AND snapshot IN {snapshots:Array(UInt64)} AND (session IN delta.2 OR key IN delta.1)
        AND (toDate(timestamp) = day OR (project_id, toDate(timestamp)) NOT IN {running_days:Array(Tuple(String, Date))})
) AS known
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
        toInt64(uniqExactIf(session, is_new)),
        toInt64(uniqExact(visitor)) - toInt64(uniqExactIf(visitor, is_built))
    FROM
    (
        /*open{*/
        SELECT project_id, toString(events.chain_id) AS value, visitor, session, true AS is_new, false AS is_built
        /*events*/
            AND events.chain_id != ''
        UNION ALL
        /*}open*/
        /*running{*/
        SELECT one.4 AS project_id, one.6 AS value, one.3 AS visitor, one.2 AS session, (project_id, session, value) NOT IN known.2 AS is_new, false AS is_built
        FROM (SELECT arrayJoin(delta) AS one)
        WHERE one.1 NOT IN known.1
            /*strays{*/
            AND one.1 NOT IN elsewhere
            /*}strays*/
        UNION ALL
        /*}running*/
        SELECT project_id, toString(chain_id), visitor, toUInt64(0), false, true
        FROM chain_visitors
        PREWHERE
            /*open{*/
            visitor IN (SELECT visitor FROM events WHERE project_id IN {open_projects:Array(String)} AND day IN {key_days:Array(Date)} /*pairs{*/AND (project_id, day) IN {keys:Array(Tuple(String, Date))}/*}pairs*/ AND chain_id != '')
            /*}open*/
            /*mixed{*/OR/*}mixed*/
            /*running{*/
            visitor IN delta.3
            /*}running*/
        WHERE day BETWEEN {first_day:Date} AND {last_day:Date} AND snapshot IN {snapshots:Array(UInt64)} AND build IN /*builds*/
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
