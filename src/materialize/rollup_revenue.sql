-- What the partition adds to the revenue under each value of each column. `hits` is the number of events with revenue.
SELECT
    {project:String} AS project_id,
    {day:Date} AS day,
    dimension,
    value,
    toDate('1970-01-01') AS seen_before,
    count() AS hits,
    toInt64(0) AS sessions,
    toInt64(0) AS visitors,
    sum(amount) AS revenue
FROM
(
    SELECT {dimensions:Expression}[nth] AS dimension, resolved[nth] AS value, amount
    FROM
    (
        SELECT
            toInt128(floor(e.revenue * 1e9 + 0.5)) AS amount,
            {values:Expression} AS resolved,
            unnest({numbers:Expression}) AS nth
        FROM events AS e
        INNER JOIN sessions AS s ON s.project_id = e.project_id AND s.day = e.day AND s.session = e.session
        WHERE e.project_id = {project:String} AND e.day = {day:Date}
            AND e.revenue != 0 AND e.session % {slices:UInt64} = {slice:UInt64}
            AND s.project_id = {project:String} AND s.day = {day:Date} AND s.is_first
    ) AS paid
) AS amounts
GROUP BY dimension, value
