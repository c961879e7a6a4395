-- As rollup_total.sql, by each value of the columns of the first touch and of the paid source. Columns are numbers until
-- they are counted, and a row without a paid source gets none for it: 15 % less time than names and a condition.
SELECT
    project_id,
    day,
    {dimensions:Expression}[nth] AS dimension,
    value,
    seen_before,
    sum(own_hits) AS hits,
    sum(own_sessions) AS sessions,
    count() AS visitors,
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
            nth,
            value,
            visitor,
            at_day,
            max(is_due) AS is_of_group,
            max(visit_day) AS seen_day,
            sum(visit_hits) AS own_hits,
            sum(visit_sessions) AS own_sessions,
            sum(visit_bounces) AS own_bounces,
            sum(visit_active_ms) AS own_active_ms,
            sum(visit_transactions) AS own_transactions
        FROM
        (
            SELECT
                project_id,
                visitor,
                at_day,
                is_due,
                visit_day,
                visit_hits,
                visit_sessions,
                visit_bounces,
                visit_active_ms,
                visit_transactions,
                nth,
                touch[nth] AS value
            FROM
            (
                SELECT
                    v.project_id AS project_id,
                    v.visitor AS visitor,
                    v.at_day AS at_day,
                    v.is_due AS is_due,
                    v.day AS visit_day,
                    v.hits AS visit_hits,
                    if(v.is_first, 1, 0) AS visit_sessions,
                    if(v.is_first AND v.is_bounce, 1, 0) AS visit_bounces,
                    if(v.is_first, v.active_ms, 0) AS visit_active_ms,
                    v.transactions AS visit_transactions,
                    {values:Expression} AS touch,
                    arrayJoin(if(v.paid_source = '', {numbers:Expression}, {with_paid:Expression})) AS nth
                FROM {history:Relation} AS v
                WHERE v.visitor % {slices:UInt64} = {slice:UInt64}
                    AND v.visitor IN (SELECT visitor FROM {due_sessions:Relation} AS g)
            ) AS visits
        ) AS touches
        GROUP BY project_id, nth, value, visitor, at_day
    ) AS of_visitors
) AS seen
WHERE is_of_group = 1
GROUP BY project_id, day, nth, value, seen_before
