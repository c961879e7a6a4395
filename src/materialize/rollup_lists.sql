-- Values that sessions list, as their chains: a session counts once under each, whichever of its visitors has it, and so
-- does each visitor, by the day after they were last seen under the value.

-- name: rollup
WITH
    visits AS
    (
{visits:Relation}
    )
SELECT
    dimension,
    value,
    seen_before,
    sum(own_hits) AS hits,
    sum(own_sessions) AS sessions,
    sum(own_visitors) AS visitors
FROM
(
    SELECT
        dimension,
        value,
        toDate('1970-01-01') AS seen_before,
        toInt64(0) AS own_hits,
        toInt64(uniqExact(session)) AS own_sessions,
        toInt64(0) AS own_visitors
    FROM visits
    WHERE visit_day = {day:Date} AND session % {slices:UInt64} = {slice:UInt64}
    GROUP BY dimension, value
    UNION ALL
    SELECT
        'page' AS dimension,
        concat(e.origin, ' ', e.pathname) AS value,
        toDate('1970-01-01') AS seen_before,
        toInt64(count()) AS own_hits,
        toInt64(0) AS own_sessions,
        toInt64(0) AS own_visitors
    FROM events AS e
    WHERE e.project_id = {project:String} AND e.day = {day:Date}
        AND e.type = 'page' AND e.session % {slices:UInt64} = {slice:UInt64}
        AND {is_counted:Condition}
    GROUP BY value
    UNION ALL
    SELECT
        dimension,
        value,
        seen_before,
        toInt64(0) AS own_hits,
        toInt64(0) AS own_sessions,
        toInt64(count()) AS own_visitors
    FROM
    (
        SELECT
            dimension,
            value,
            visitor,
            max(if(visit_day < {day:Date}, visit_day + 1, toDate('1970-01-01'))) AS seen_before
        FROM visits
        WHERE visitor % {slices:UInt64} = {slice:UInt64}
        GROUP BY dimension, value, visitor
        HAVING max(visit_day) = {day:Date}
    ) AS of_visitors
    GROUP BY dimension, value, seen_before
) AS every
GROUP BY dimension, value, seen_before

-- name: visits
SELECT
    {dimension:Expression} AS dimension,
    v.session AS session,
    v.visitor AS visitor,
    v.day AS visit_day,
    arrayJoin(v.{list:Expression}) AS value
FROM sessions AS v
WHERE v.project_id = {project:String}
    AND v.day <= {day:Date}
    AND v.device NOT IN {left_out:Array(String)}
    AND v.visitor IN
    (
        SELECT visitor FROM sessions
        WHERE project_id = {project:String} AND day = {day:Date} AND notEmpty({list:Expression})
    )
