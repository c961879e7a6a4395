-- What the partition adds to each value of the columns of a first touch: hits, sessions, and visitors by the day after
-- they were last seen under the value. Of the project's earlier sessions only those of this day's visitors are read. A
-- large partition is computed in slices, whose rows add up.
SELECT
    {project:String} AS project_id,
    {day:Date} AS day,
    dimension,
    value,
    seen_before,
    sum(own_hits) AS hits,
    sum(own_sessions) AS sessions,
    count() AS visitors,
    toInt128(0) AS revenue
FROM
(
    SELECT
        dimension,
        value,
        visitor,
        sumIf(visit_hits, visit_day = {day:Date}) AS own_hits,
        sumIf(visit_sessions, visit_day = {day:Date}) AS own_sessions,
        max(if(visit_day < {day:Date}, visit_day + 1, toDate('1970-01-01'))) AS seen_before
    FROM
    (
        SELECT
            visitor, visit_day, visit_hits, visit_sessions, {dimensions:Expression}[nth] AS dimension, touch[nth] AS value
        FROM
        (
            SELECT
                v.visitor AS visitor,
                v.day AS visit_day,
                v.hits AS visit_hits,
                if(v.is_first, 1, 0) AS visit_sessions,
                {values:Expression} AS touch,
                unnest({numbers:Expression}) AS nth
            FROM sessions AS v
            WHERE v.project_id = {project:String}
                AND v.day <= {day:Date}
                AND v.visitor % {slices:UInt64} = {slice:UInt64}
                AND v.visitor IN (SELECT visitor FROM sessions WHERE project_id = {project:String} AND day = {day:Date})
        ) AS visits
    ) AS touches
    GROUP BY dimension, value, visitor
    HAVING max(visit_day) = {day:Date}
) AS of_visitors
GROUP BY dimension, value, seen_before
