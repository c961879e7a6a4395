-- Revenue by a column of the event, or of its session where the event has none of its own. Sums are exact to 9 decimals, whatever the
-- order they are made in: amounts are added as whole numbers. See top_sources.sql for how the days come together.
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
    SELECT project_id, value, revenue AS amount, toInt64(hits) AS n_events
    FROM rollups
    WHERE project_id IN {projects:Array(String)} AND dimension = concat('revenue ', {column:String}) AND day BETWEEN {first_day:Date} AND {last_day:Date} AND snapshot IN {snapshots:Array(UInt64)} AND build IN /*builds*/
    /*changing{*/
    UNION ALL
    SELECT
        project_id,
        if({column:String} = 'referrer' AND {column:Identifier} = '', 'Direct', toString({column:Identifier})) AS value,
        if(kind = 1, 1, -1) * toInt128(round(revenue * 1e9)) AS amount,
        toInt64(if(kind = 1, 1, -1)) AS n_events
    FROM
    (
        /*open{*/
        /*live*/
        /*}open*/
        /*mixed{*/UNION ALL/*}mixed*/
        /*running{*/
        /*changed*/
        /*}running*/
    )
    /*}changing*/
)
GROUP BY project_id, value
HAVING sum(n_events) > 0
ORDER BY sum_revenue DESC, value, project_id
LIMIT {limit:UInt32} OFFSET {offset:UInt32}
