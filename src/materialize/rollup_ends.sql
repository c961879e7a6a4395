-- Sessions by the pages that they began and ended with, and by the hour in which they began. A session has pages if one
-- of its visitors viewed one; its hits count for the pages.
SELECT
    dimension,
    value,
    sum(if(dimension = 'hour started', 0, own_hits)) AS hits,
    count() AS sessions,
    sum(own_bounces) AS bounces,
    sum(own_active_ms) AS active_ms
FROM
(
    SELECT
        ['entry_page', 'exit_page', 'hour started'][nth] AS dimension,
        ends[nth] AS value,
        own_hits,
        own_bounces,
        own_active_ms
    FROM
    (
        SELECT ends, own_hits, own_bounces, own_active_ms, arrayJoin([1, 2, 3]) AS nth
        FROM
        (
            SELECT
                max([
                    concat(v.entry_origin, ' ', v.entry_page),
                    concat(v.exit_origin, ' ', v.exit_page),
                    {hour:Expression}
                ]) AS ends,
                sum(v.hits) AS own_hits,
                max(if(v.is_bounce, 1, 0)) AS own_bounces,
                max(v.active_ms) AS own_active_ms
            FROM sessions AS v
            WHERE v.project_id = {project:String} AND v.day = {day:Date}
                AND v.session % {slices:UInt64} = {slice:UInt64}
                AND v.device NOT IN {left_out:Array(String)}
            GROUP BY v.session
        ) AS of_sessions
    ) AS numbered
) AS every
WHERE own_hits > 0 OR dimension = 'hour started'
GROUP BY dimension, value
