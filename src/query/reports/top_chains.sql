-- Sessions and visitors by the chains of their events. See top_sources.sql for how closed and open days come together.
SELECT
    CAST(project_id, 'String') AS project_id,
    CAST(value, 'String') AS chain_id,
    toUInt64(sum(n_sessions)) AS sessions,
    toUInt64(sum(n_visitors)) AS visitors
FROM
(
    WITH greatest({first_day:Date}, transform(toString(project_id), {short_projects:Array(String)}, {short_days:Array(Date)}, toDate(0))) AS begins
    SELECT
        project_id,
        value,
        toInt64(sessions) AS n_sessions,
        toInt64(arraySum((seen, n) -> if(seen <= toUInt16(begins), n, 0), seen_before, visitors)) AS n_visitors
    FROM rollups
    WHERE project_id IN {projects:Array(String)} AND dimension = 'chain_id' AND day BETWEEN {first_day:Date} AND {last_day:Date} AND build IN /*builds*/
    /*open{*/
    UNION ALL
    SELECT
        project_id,
        value,
        sum(own_sessions),
        sum(toInt64(is_live OR is_closed) - toInt64(is_closed AND NOT (was_seen AND first_seen < first_closed)))
    FROM
    (
        SELECT
            project_id,
            chain.1 AS value,
            chain.2 AS visitor,
            sum(toInt64(kind = 'live' AND indexOf(chains.1, chain.1) = nth)) AS own_sessions,
            max(kind = 'live') AS is_live,
            max(kind = 'closed') AS is_closed,
            max(kind = 'reopened') AS was_seen,
            minIf(day, kind = 'closed') AS first_closed,
            minIf(day, kind = 'reopened') AS first_seen
        FROM
        (
            SELECT
                project_id,
                day,
                'live' AS kind,
                arrayDistinct(arrayFilter(one -> one.1 != '', arrayZip(CAST(e_chain, 'Array(String)'), e_visitor))) AS chains
            FROM (/*live*/)
            UNION ALL
            SELECT
                project_id,
                day,
                if(build IN {reopened:Array(UInt64)}, 'reopened', 'closed') AS kind,
                arrayDistinct(arrayFilter(one -> one.1 != '', arrayZip(CAST(e_chain, 'Array(String)'), e_visitor))) AS chains
            FROM sessions
            WHERE project_id IN {projects:Array(String)}
                AND day BETWEEN {first_day:Date} AND {last_day:Date}
                AND (build IN /*builds*/ OR build IN {reopened:Array(UInt64)})
        )
        ARRAY JOIN chains AS chain, arrayEnumerate(chains) AS nth
        WHERE kind = 'live' OR visitor IN
        (
            SELECT visitor FROM events WHERE (project_id, day) IN {keys:Array(Tuple(String, Date))}
            /*reopened{*/
            UNION ALL
            SELECT arrayJoin(e_visitor) FROM sessions WHERE project_id IN {projects:Array(String)} AND build IN {reopened:Array(UInt64)}
            /*}reopened*/
        )
        GROUP BY project_id, value, visitor
    )
    GROUP BY project_id, value
    /*}open*/
)
GROUP BY project_id, value
HAVING sessions > 0
ORDER BY visitors DESC, sessions DESC, value, project_id
LIMIT {limit:UInt32} OFFSET {offset:UInt32}
