-- The same over the events and sessions that meet the filters.
/*running{*/
WITH
/*delta*/
/*}running*/
SELECT
    CAST(project_id, 'String') AS project_id,
    CAST(value, 'String') AS {alias:Identifier},
    toFloat64(sum(amount)) / 1e9 AS sum_revenue
FROM
(
    SELECT
        project_id,
        if({column:String} = 'referrer' AND {column:Identifier} = '', 'Direct', toString({column:Identifier})) AS value,
        toInt128(round(revenue * 1e9)) AS amount
    FROM
    (
        SELECT /*columns*/
        FROM revenue_events
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
ORDER BY sum_revenue DESC, value, project_id
LIMIT {limit:UInt32} OFFSET {offset:UInt32}
