-- What each partition adds to the revenue and volume under each value of each column. `hits` is the number of events with
-- such an amount. The numbers of the columns of volume follow those of revenue.
SELECT
    project_id,
    day,
    dimension,
    value,
    count() AS hits,
    sum(own_revenue) AS revenue,
    sum(own_volume) AS volume
FROM
(
    SELECT
        project_id,
        day,
        {dimensions:Expression}[nth] AS dimension,
        resolved[if(nth > {columns:Expression}, nth - {columns:Expression}, nth)] AS value,
        toInt128(floor(if(nth > {columns:Expression}, 0, event_revenue) * 1e9 + 0.5)) AS own_revenue,
        toInt128(floor(if(nth > {columns:Expression}, event_volume, 0) * 1e9 + 0.5)) AS own_volume
    FROM
    (
        SELECT
            e.project_id AS project_id,
            e.day AS day,
            e.revenue AS event_revenue,
            e.volume AS event_volume,
            {values:Expression} AS resolved,
            arrayJoin({numbers:Expression}) AS nth
        FROM
        (
            SELECT *, {signal:Condition} AS has_signal
            FROM {due_events:Relation} AS e
            WHERE (e.revenue != 0 OR e.volume != 0) AND e.session % {slices:UInt64} = {slice:UInt64}
        ) AS e
        INNER JOIN {due_sessions:Relation} AS s
            ON s.project_id = e.project_id AND s.day = e.day AND s.session = e.session
        WHERE s.is_first AND (e.without_bots = 0 OR {device:Expression} NOT IN ({bots:Expression}))
    ) AS paid
    WHERE if(nth > {columns:Expression}, event_volume, event_revenue) != 0
) AS amounts
WHERE value != '' OR dimension NOT IN ({paid_sources:Expression})
GROUP BY project_id, day, dimension, value
