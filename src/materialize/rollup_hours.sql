-- The hours of the day: its events, and the sessions, visitors and wallets that have one of them.

-- name: hours
SELECT
    'hour' AS dimension,
    value,
    sum(own_hits) AS hits,
    sum(own_sessions) AS sessions,
    sum(own_visitors) AS visitors,
    sum(own_revenue) AS revenue,
    sum(own_volume) AS volume,
    sum(own_transactions) AS transactions,
    sum(own_events) AS events
FROM
(
    SELECT
        {hour:Expression} AS value,
        toInt64(countIf(e.type = 'page')) AS own_hits,
        toInt64(uniqExact(e.session)) AS own_sessions,
        toInt64(0) AS own_visitors,
        sum(toInt128(floor(e.revenue * 1e9 + 0.5))) AS own_revenue,
        sum(toInt128(floor(e.volume * 1e9 + 0.5))) AS own_volume,
        toInt64(sum({is_transaction:Expression})) AS own_transactions,
        toInt64(count()) AS own_events
    FROM events AS e
    WHERE e.project_id = {project:String} AND e.day = {day:Date} AND e.session % {slices:UInt64} = {slice:UInt64}
        AND {is_counted:Condition}
    GROUP BY value
    UNION ALL
    SELECT
        {hour:Expression} AS value,
        toInt64(0) AS own_hits,
        toInt64(0) AS own_sessions,
        toInt64(uniqExact(e.visitor)) AS own_visitors,
        toInt128(0) AS own_revenue,
        toInt128(0) AS own_volume,
        toInt64(0) AS own_transactions,
        toInt64(0) AS own_events
    FROM events AS e
    WHERE e.project_id = {project:String} AND e.day = {day:Date} AND e.visitor % {slices:UInt64} = {slice:UInt64}
        AND {is_counted:Condition}
    GROUP BY value
) AS every
GROUP BY value

-- name: wallets
SELECT 'hour wallets' AS dimension, {hour:Expression} AS value, uniqExact(e.address) AS visitors
FROM events AS e
WHERE e.project_id = {project:String} AND e.day = {day:Date}
    AND e.address != '' AND cityHash64(e.address) % {slices:UInt64} = {slice:UInt64}
    AND {is_counted:Condition}
GROUP BY value
