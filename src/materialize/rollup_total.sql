-- What each partition adds to the totals of its project: visitors by the day after they were last seen. Of the project's
-- earlier sessions only those of visitors of the group are read.
SELECT
    project_id,
    day,
    'total' AS dimension,
    '' AS value,
    seen_before,
    sum(own_hits) AS hits,
    sum(own_sessions) AS sessions,
    sum(own_visitors) AS visitors,
    sum(own_revenue) AS revenue,
    sum(own_volume) AS volume,
    sum(own_bounces) AS bounces,
    sum(own_active_ms) AS active_ms,
    sum(own_transactions) AS transactions,
    sum(own_events) AS events
FROM
(
    SELECT *, at_day AS day, {seen_before:Expression} AS seen_before
    FROM
    (
        SELECT
            v.project_id AS project_id,
            v.visitor AS visitor,
            v.at_day AS at_day,
            max(v.is_due) AS is_of_group,
            max({visit_day:Expression}) AS seen_day,
            max(v.is_in_after) - max(v.is_in_before) AS own_visitors,
            sum(v.weight * v.hits) AS own_hits,
            sumIf(v.weight, v.is_first) AS own_sessions,
            sum(v.weight * v.revenue) AS own_revenue,
            sum(v.weight * v.volume) AS own_volume,
            sumIf(v.weight, v.is_first AND v.is_bounce) AS own_bounces,
            sumIf(v.weight * v.active_ms, v.is_first) AS own_active_ms,
            sum(v.weight * v.transactions) AS own_transactions,
            sum(v.weight * v.events) AS own_events
        FROM {history:Relation} AS v
        WHERE v.visitor % {slices:UInt64} = {slice:UInt64}
            AND v.visitor IN (SELECT visitor FROM {due_sessions:Relation} AS g)
        GROUP BY v.project_id, v.visitor, v.at_day
    ) AS of_visitors
) AS seen
WHERE is_of_group = 1
GROUP BY project_id, day, seen_before
