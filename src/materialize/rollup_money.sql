-- What the partition adds to the revenue or volume under each value of each column. `hits` is the number of events with
-- such an amount.
SELECT dimension, value, count() AS hits, sum(amount) AS {measure:Expression}
FROM
(
    SELECT {dimensions:Expression}[nth] AS dimension, resolved[nth] AS value, amount
    FROM
    (
        SELECT
            toInt128(floor(e.{measure:Expression} * 1e9 + 0.5)) AS amount,
            {values:Expression} AS resolved,
            unnest({numbers:Expression}) AS nth
        FROM events AS e
        INNER JOIN sessions AS s ON s.project_id = e.project_id AND s.day = e.day AND s.session = e.session
        WHERE e.project_id = {project:String} AND e.day = {day:Date}
            AND e.{measure:Expression} != 0 AND e.session % {slices:UInt64} = {slice:UInt64}
            AND s.project_id = {project:String} AND s.day = {day:Date} AND s.is_first
    ) AS paid
) AS amounts
WHERE value != '' OR dimension != {paid_source:Expression}
GROUP BY dimension, value
