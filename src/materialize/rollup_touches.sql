-- As rollup_total.sql, by each value of the columns of the first touch and of the paid source. Until it is counted, a value
-- begins with the two digits of its column: one key instead of two, and no list for each row to choose from.
SELECT
    project_id,
    day,
    {dimension:Expression} AS dimension,
    substring(tagged, 3) AS value,
    seen_before,
    sum(own_hits) AS hits,
    sum(own_sessions) AS sessions,
    sum(own_visitors) AS visitors,
    sum(own_bounces) AS bounces,
    sum(own_active_ms) AS active_ms,
    sum(own_transactions) AS transactions
FROM
(
    SELECT *, at_day AS day, {seen_before:Expression} AS seen_before
    FROM
    (
        SELECT
            project_id,
            tagged,
            visitor,
            at_day,
            max(is_due) AS is_of_group,
            max(visit_day) AS seen_day,
            max(is_in_after) - max(is_in_before) AS own_visitors,
            sum(visit_hits) AS own_hits,
            sum(visit_sessions) AS own_sessions,
            sum(visit_bounces) AS own_bounces,
            sum(visit_active_ms) AS own_active_ms,
            sum(visit_transactions) AS own_transactions
        FROM
        (
            SELECT
                v.project_id AS project_id,
                v.visitor AS visitor,
                v.at_day AS at_day,
                v.is_due AS is_due,
                {visit_day:Expression} AS visit_day,
                v.is_in_before AS is_in_before,
                v.is_in_after AS is_in_after,
                v.weight * v.hits AS visit_hits,
                if(v.is_first, v.weight, 0) AS visit_sessions,
                if(v.is_first AND v.is_bounce, v.weight, 0) AS visit_bounces,
                if(v.is_first, v.weight * v.active_ms, 0) AS visit_active_ms,
                v.weight * v.transactions AS visit_transactions,
                arrayJoin({tagged:Expression}) AS tagged
            FROM {history:Relation} AS v
            WHERE v.visitor % {slices:UInt64} = {slice:UInt64}
                AND v.visitor IN (SELECT visitor FROM {due_sessions:Relation} AS g)
        ) AS touches
        WHERE tagged != {unpaid:Expression}
        GROUP BY project_id, tagged, visitor, at_day
    ) AS of_visitors
) AS seen
WHERE is_of_group = 1
GROUP BY project_id, day, tagged, seen_before
