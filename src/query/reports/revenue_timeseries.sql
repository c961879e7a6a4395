-- Revenue and volume of one wallet, by day and origin. Values as in amounts_by_metric.sql.

-- name: counts
SELECT
    date,
    event,
    page_path,
    referrer,
    utm_source,
    toFloat64(sum(revenue_amount)) / 1e9 AS sum_revenue,
    toFloat64(sum(volume_amount)) / 1e9 AS sum_volume
FROM
(
    SELECT
        e.day AS date,
        e.event AS event,
        {page_path:Expression} AS page_path,
        {referrer:Expression} AS referrer,
        {utm_source:Expression} AS utm_source,
        toInt128(floor(e.revenue * 1e9 + 0.5)) AS revenue_amount,
        toInt128(floor(e.volume * 1e9 + 0.5)) AS volume_amount
    FROM sessions AS s
    INNER JOIN scope AS p ON p.project_id = s.project_id
    INNER JOIN
    (
        SELECT e.*
        FROM events AS e
        WHERE {e:Window}
            AND e.address = {address:String}
            AND (e.revenue != 0 OR e.volume != 0)
            AND {event_filter:Condition}
    ) AS e ON e.project_id = s.project_id AND e.day = s.day AND e.session = s.session
    WHERE {s:Window}
        AND s.day >= p.first_day
        AND s.is_first
        AND {bots:Condition}
        AND {session_filter:Condition}
) AS paid
GROUP BY date, event, page_path, referrer, utm_source
