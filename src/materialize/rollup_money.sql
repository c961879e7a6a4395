-- What each partition adds to the revenue and volume under each value of each column. `hits` is the number of events with
-- such an amount. Values are tagged as in rollup_touches.sql, and both amounts are counted in one row for a value.
SELECT
    project_id,
    day,
    concat(if(kind = 1, 'revenue ', 'volume '), {dimension:Expression}) AS dimension,
    substring(tagged, 3) AS value,
    if(kind = 1, revenue_hits, volume_hits) AS hits,
    if(kind = 1, sum_revenue, toInt128(0)) AS revenue,
    if(kind = 1, toInt128(0), sum_volume) AS volume
FROM
(
    SELECT *, arrayJoin([1, 2]) AS kind
    FROM
    (
        SELECT
            project_id,
            day,
            tagged,
            sum(if(event_revenue != 0, 1, 0)) AS revenue_hits,
            sum(if(event_volume != 0, 1, 0)) AS volume_hits,
            sum(toInt128(floor(event_revenue * 1e9 + 0.5))) AS sum_revenue,
            sum(toInt128(floor(event_volume * 1e9 + 0.5))) AS sum_volume
        FROM
        (
            SELECT
                e.project_id AS project_id,
                e.day AS day,
                e.revenue AS event_revenue,
                e.volume AS event_volume,
                arrayJoin({tagged:Expression}) AS tagged
            FROM
            (
                SELECT *, {signal:Condition} AS has_signal
                FROM {due_events:Relation} AS e
                WHERE (e.revenue != 0 OR e.volume != 0) AND e.session % {slices:UInt64} = {slice:UInt64}
            ) AS e
            INNER JOIN {due_sessions:Relation} AS s
                ON s.project_id = e.project_id AND s.day = e.day AND s.session = e.session
            WHERE s.is_first AND (e.without_bots = 0 OR {device:Expression} NOT IN ({bots:Expression}))
        ) AS amounts
        WHERE tagged != {unpaid:Expression}
        GROUP BY project_id, day, tagged
    ) AS of_values
) AS of_kinds
WHERE if(kind = 1, revenue_hits, volume_hits) > 0
