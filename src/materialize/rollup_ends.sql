-- Sessions by the pages that they began and ended with, and by the hour in which they began. A session has pages if one
-- of its visitors viewed one; its hits count for the pages.
SELECT
    project_id,
    day,
    dimension,
    value,
    sum(if(dimension = 'hour started', 0, weight * own_hits)) AS hits,
    sum(weight) AS sessions,
    sum(weight * own_bounces) AS bounces,
    sum(weight * own_active_ms) AS active_ms
FROM
(
    SELECT
        project_id,
        day,
        ['entry_page', 'exit_page', 'hour started'][nth] AS dimension,
        ends[nth] AS value,
        weight,
        own_hits,
        own_bounces,
        own_active_ms
    FROM
    (
        SELECT project_id, day, ends, weight, own_hits, own_bounces, own_active_ms, arrayJoin([1, 2, 3]) AS nth
        FROM
        (
            SELECT
                v.project_id AS project_id,
                v.day AS day,
                v.weight AS weight,
                max([
                    concat(v.entry_origin, ' ', v.entry_page),
                    concat(v.exit_origin, ' ', v.exit_page),
                    {hour:Expression}
                ]) AS ends,
                sum(v.hits) AS own_hits,
                max(if(v.is_bounce, 1, 0)) AS own_bounces,
                max(v.active_ms) AS own_active_ms
            FROM {due_sessions:Relation} AS v
            WHERE v.session % {slices:UInt64} = {slice:UInt64} AND {session_counts:Condition}
            GROUP BY v.project_id, v.day, v.session, v.weight
        ) AS of_sessions
    ) AS numbered
) AS every
WHERE own_hits > 0 OR dimension = 'hour started'
GROUP BY project_id, day, dimension, value
