-- The same over the sessions that meet the filters: those of closed days as they were written down, those of open days from the events.
/*running{*/
WITH
/*delta*/
/*}running*/
SELECT
    CAST(project_id, 'String') AS project_id,
    CAST(value, 'String') AS {alias:Identifier},
    sum(session_hits) AS hits,
    count() AS sessions,
    uniqExactArray(session_visitors) AS visitors
FROM
(
    SELECT
        project_id,
        if({column:String} = 'referrer' AND {column:Identifier} = '', 'Direct', {column:Identifier}) AS value,
        hits AS session_hits,
        visitors AS session_visitors
    FROM
    (
        SELECT /*columns*/
        FROM sessions
        WHERE project_id IN {projects:Array(String)} AND day BETWEEN {first_day:Date} AND {last_day:Date} AND snapshot IN {snapshots:Array(UInt64)} AND build IN /*builds*/ /*running{*/AND NOT (session IN delta.2 AND build IN {running:Array(UInt64)})/*}running*/
        /*open{*/
        UNION ALL
        SELECT /*columns*/
        FROM (/*live*/)
        /*}open*/
        /*running{*/
        UNION ALL
        SELECT /*columns*/
        FROM (/*changed*/)
        /*}running*/
    )
    WHERE /*bots*/
        AND /*session_filter*/
        AND /*event_filter*/
)
GROUP BY project_id, value
ORDER BY visitors DESC, sessions DESC, hits DESC, value, project_id
LIMIT {limit:UInt32} OFFSET {offset:UInt32}
