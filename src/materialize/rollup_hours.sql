-- The hours of the day: its events, and the sessions, visitors and wallets that have one of them.

-- name: hours
SELECT
    project_id,
    day,
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
        e.project_id AS project_id,
        e.day AS day,
        {hour:Expression} AS value,
        toInt64(countIf(e.type = 'page')) AS own_hits,
        toInt64(uniqExact(e.session)) AS own_sessions,
        toInt64(0) AS own_visitors,
        sum(toInt128(floor(e.revenue * 1e9 + 0.5))) AS own_revenue,
        sum(toInt128(floor(e.volume * 1e9 + 0.5))) AS own_volume,
        toInt64(sum({is_transaction:Expression})) AS own_transactions,
        toInt64(count()) AS own_events
    FROM {due_events:Relation} AS e
    WHERE e.session % {slices:UInt64} = {slice:UInt64} AND {event_counts:Condition}
    GROUP BY e.project_id, e.day, value
    UNION ALL
    SELECT
        e.project_id AS project_id,
        e.day AS day,
        {hour:Expression} AS value,
        toInt64(0) AS own_hits,
        toInt64(0) AS own_sessions,
        toInt64(uniqExact(e.visitor)) AS own_visitors,
        toInt128(0) AS own_revenue,
        toInt128(0) AS own_volume,
        toInt64(0) AS own_transactions,
        toInt64(0) AS own_events
    FROM {due_events:Relation} AS e
    WHERE e.visitor % {slices:UInt64} = {slice:UInt64} AND {event_counts:Condition}
    GROUP BY e.project_id, e.day, value
) AS every
GROUP BY project_id, day, value

-- name: wallets
SELECT
    e.project_id AS project_id,
    e.day AS day,
    'hour wallets' AS dimension,
    {hour:Expression} AS value,
    uniqExact(e.address) AS visitors
FROM {due_events:Relation} AS e
WHERE e.address != '' AND cityHash64(e.address) % {slices:UInt64} = {slice:UInt64} AND {event_counts:Condition}
GROUP BY e.project_id, e.day, value
