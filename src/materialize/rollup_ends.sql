-- Sessions by the page that they began or ended with. A session has a page if one of its visitors viewed one.
SELECT
    {dimension:Expression} AS dimension,
    value,
    sum(own_hits) AS hits,
    count() AS sessions,
    sum(own_bounces) AS bounces,
    sum(own_active_ms) AS active_ms
FROM
(
    SELECT
        max(concat(v.{origin:Expression}, ' ', v.{page:Expression})) AS value,
        sum(v.hits) AS own_hits,
        max(if(v.is_bounce, 1, 0)) AS own_bounces,
        max(v.active_ms) AS own_active_ms
    FROM sessions AS v
    WHERE v.project_id = {project:String} AND v.day = {day:Date} AND v.session % {slices:UInt64} = {slice:UInt64}
    GROUP BY v.session
    HAVING sum(v.hits) > 0
) AS of_sessions
GROUP BY value
