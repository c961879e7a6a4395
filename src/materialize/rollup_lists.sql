-- Values that sessions list, as their chains: a session counts once under each, whichever of its visitors has it, and so
-- does each visitor, by the day after they were last seen under the value.

-- name: rollup
WITH
    visits AS
    (
{visits:Relation}
    )
SELECT
    project_id,
    day,
    dimension,
    value,
    seen_before,
    sum(own_hits) AS hits,
    sum(own_sessions) AS sessions,
    sum(own_visitors) AS visitors
FROM
(
    SELECT
        project_id,
        at_day AS day,
        dimension,
        value,
        toDate('1970-01-01') AS seen_before,
        toInt64(0) AS own_hits,
        toInt64(uniqExact(if(weight > 0, session, NULL))) - toInt64(uniqExact(if(weight < 0, session, NULL)))
            AS own_sessions,
        toInt64(0) AS own_visitors
    FROM visits
    WHERE is_due = 1 AND session % {slices:UInt64} = {slice:UInt64}
    GROUP BY project_id, at_day, dimension, value
    UNION ALL
    SELECT
        project_id,
        day,
        dimension,
        value,
        toDate('1970-01-01') AS seen_before,
        hits AS own_hits,
        toInt64(0) AS own_sessions,
        toInt64(0) AS own_visitors
    FROM
    (
{views:Relation}
    ) AS viewed
    UNION ALL
    SELECT
        project_id,
        at_day AS day,
        dimension,
        value,
        seen_before,
        toInt64(0) AS own_hits,
        toInt64(0) AS own_sessions,
        toInt64(sum(visitors)) AS own_visitors
    FROM
    (
        SELECT *, {seen_before:Expression} AS seen_before
        FROM
        (
            SELECT
                project_id,
                dimension,
                value,
                visitor,
                at_day,
                max(is_due) AS is_of_group,
                max(visit_day) AS seen_day,
                max(is_in_after) - max(is_in_before) AS visitors
            FROM visits
            WHERE visitor % {slices:UInt64} = {slice:UInt64}
            GROUP BY project_id, dimension, value, visitor, at_day
        ) AS of_visitors
    ) AS seen
    WHERE is_of_group = 1
    GROUP BY project_id, at_day, dimension, value, seen_before
) AS every
GROUP BY project_id, day, dimension, value, seen_before

-- name: views
SELECT
    e.project_id AS project_id,
    e.day AS day,
    'page' AS dimension,
    concat(e.origin, ' ', e.pathname) AS value,
    toInt64(count()) AS hits
FROM {due_events:Relation} AS e
WHERE e.type = 'page' AND e.session % {slices:UInt64} = {slice:UInt64} AND {event_counts:Condition}
GROUP BY e.project_id, e.day, value

-- name: visits
SELECT
    {dimension:Expression} AS dimension,
    v.project_id AS project_id,
    v.session AS session,
    v.visitor AS visitor,
    v.at_day AS at_day,
    v.is_due AS is_due,
    {visit_day:Expression} AS visit_day,
    v.weight AS weight,
    v.is_in_before AS is_in_before,
    v.is_in_after AS is_in_after,
    arrayJoin(v.{list:Expression}) AS value
FROM {history:Relation} AS v
WHERE v.visitor IN (SELECT visitor FROM {due_sessions:Relation} AS g WHERE notEmpty({list:Expression}))
