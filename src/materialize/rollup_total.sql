-- What the partition adds to the totals of its project: visitors by the day after they were last seen. Of the project's
-- earlier sessions only those of this day's visitors are read.
SELECT
    'total' AS dimension,
    '' AS value,
    seen_before,
    sum(own_hits) AS hits,
    sum(own_sessions) AS sessions,
    count() AS visitors,
    sum(own_revenue) AS revenue,
    sum(own_volume) AS volume,
    sum(own_bounces) AS bounces,
    sum(own_active_ms) AS active_ms,
    sum(own_transactions) AS transactions,
    sum(own_events) AS events
FROM
(
    SELECT
        v.visitor AS visitor,
        sumIf(v.hits, v.day = {day:Date}) AS own_hits,
        sumIf(1, v.day = {day:Date} AND v.is_first) AS own_sessions,
        sumIf(v.revenue, v.day = {day:Date}) AS own_revenue,
        sumIf(v.volume, v.day = {day:Date}) AS own_volume,
        sumIf(1, v.day = {day:Date} AND v.is_first AND v.is_bounce) AS own_bounces,
        sumIf(v.active_ms, v.day = {day:Date} AND v.is_first) AS own_active_ms,
        sumIf(v.transactions, v.day = {day:Date}) AS own_transactions,
        sumIf(v.events, v.day = {day:Date}) AS own_events,
        max(if(v.day < {day:Date}, v.day + 1, toDate('1970-01-01'))) AS seen_before
    FROM sessions AS v
    WHERE v.project_id = {project:String}
        AND v.day <= {day:Date}
        AND v.visitor % {slices:UInt64} = {slice:UInt64}
        AND v.device NOT IN {left_out:Array(String)}
        AND v.visitor IN (SELECT visitor FROM sessions WHERE project_id = {project:String} AND day = {day:Date})
    GROUP BY v.visitor
    HAVING max(v.day) = {day:Date}
) AS of_visitors
GROUP BY seen_before
