-- As rollup_total.sql, by each value of the columns of the first touch and of the paid source.
SELECT
    dimension,
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
    SELECT
        dimension,
        value,
        visitor,
        sumIf(visit_hits, visit_day = {day:Date}) AS own_hits,
        sumIf(visit_sessions, visit_day = {day:Date}) AS own_sessions,
        sumIf(visit_bounces, visit_day = {day:Date}) AS own_bounces,
        sumIf(visit_active_ms, visit_day = {day:Date}) AS own_active_ms,
        sumIf(visit_transactions, visit_day = {day:Date}) AS own_transactions,
        max(if(visit_day < {day:Date}, visit_day + 1, toDate('1970-01-01'))) AS seen_before
    FROM
    (
        SELECT
            visitor,
            visit_day,
            visit_hits,
            visit_sessions,
            visit_bounces,
            visit_active_ms,
            visit_transactions,
            {dimensions:Expression}[nth] AS dimension,
            touch[nth] AS value
        FROM
        (
            SELECT
                v.visitor AS visitor,
                v.day AS visit_day,
                v.hits AS visit_hits,
                if(v.is_first, 1, 0) AS visit_sessions,
                if(v.is_first AND v.is_bounce, 1, 0) AS visit_bounces,
                if(v.is_first, v.active_ms, 0) AS visit_active_ms,
                v.transactions AS visit_transactions,
                {values:Expression} AS touch,
                arrayJoin({numbers:Expression}) AS nth
            FROM sessions AS v
            WHERE v.project_id = {project:String}
                AND v.day <= {day:Date}
                AND v.visitor % {slices:UInt64} = {slice:UInt64}
                AND v.device NOT IN {left_out:Array(String)}
                AND v.visitor IN (SELECT visitor FROM sessions WHERE project_id = {project:String} AND day = {day:Date})
        ) AS visits
    ) AS touches
    WHERE value != '' OR dimension != 'paid_source'
    GROUP BY dimension, value, visitor
    HAVING max(visit_day) = {day:Date}
) AS of_visitors
GROUP BY dimension, value, seen_before
