-- Sessions by where they began: each counts once, under the first touch. Closed days come from their rollups; the sessions of open
-- days are made from the events. Of the visitors seen on open days, those who count already must not count again: they are looked up
-- among the sessions of the closed days, and among what an open day held when it was built, which the rollups after it rest on.
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
        value,
        sum(own_hits),
        sum(own_sessions),
        sum(toInt64(is_live OR is_closed) - toInt64(is_closed AND NOT (was_seen AND first_seen < first_closed)))
    FROM
    (
        SELECT
            project_id,
            value,
            visitor,
            sum(live_hits) AS own_hits,
            sum(live_sessions) AS own_sessions,
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
                if({column:String} = 'referrer' AND {column:Identifier} = '', 'Direct', toString({column:Identifier})) AS value,
                visitor,
                'live' AS kind,
                toInt64(if(nth = 1, hits, 0)) AS live_hits,
                toInt64(nth = 1) AS live_sessions
            FROM (/*live*/)
            ARRAY JOIN visitors AS visitor, arrayEnumerate(visitors) AS nth
            UNION ALL
            SELECT
                project_id,
                day,
                if({column:String} = 'referrer' AND {column:Identifier} = '', 'Direct', toString({column:Identifier})) AS value,
                visitor,
                if(build IN {reopened:Array(UInt64)}, 'reopened', 'closed') AS kind,
                toInt64(0) AS live_hits,
                toInt64(0) AS live_sessions
            FROM sessions
            ARRAY JOIN visitors AS visitor
            WHERE project_id IN {projects:Array(String)}
                AND day BETWEEN {first_day:Date} AND {last_day:Date}
                AND (build IN /*builds*/ OR build IN {reopened:Array(UInt64)})
                AND visitor IN
                (
                    SELECT visitor FROM events WHERE (project_id, day) IN {keys:Array(Tuple(String, Date))}
                    /*reopened{*/
                    UNION ALL
                    SELECT arrayJoin(visitors) FROM sessions WHERE project_id IN {projects:Array(String)} AND build IN {reopened:Array(UInt64)}
                    /*}reopened*/
                )
        )
        GROUP BY project_id, value, visitor
    )
    GROUP BY project_id, value
    /*}open*/
)
GROUP BY project_id, value
HAVING sessions > 0
ORDER BY visitors DESC, sessions DESC, hits DESC, value, project_id
LIMIT {limit:UInt32} OFFSET {offset:UInt32}
