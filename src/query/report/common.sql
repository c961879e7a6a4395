-- Parts of several reports.

-- name: matching
-- Sessions with an event that matches all event filters. The session hash includes the day.
SELECT e.project_id AS project_id, e.session AS session
FROM events AS e
WHERE {e:Window}
    AND {event_filter:Condition}

-- name: clean
SELECT
    r.project_id AS project_id,
    r.value AS value,
    r.hits AS n_hits,
    r.sessions AS n_sessions,
    if(r.seen_before <= s.first_day, r.visitors, 0) AS n_visitors
FROM rollups AS r {r:InScope}
WHERE {r:CleanDays} AND {of_dimension:Condition}

-- name: dirty_counts
-- Sessions and visitors by value beyond the rollups: those of `dirty` now, without what is rolled up or `known`.
SELECT
    project_id,
    value,
    toInt64(if(is_visitor = 0, max(is_now) - max(is_rolled_up), 0)) AS n_sessions,
    toInt64(if(is_visitor = 1, max(is_now) - max(is_rolled_up), 0)) AS n_visitors
FROM
(
    SELECT
        project_id,
        value,
        0 AS is_visitor,
        session AS who,
        if(weight > 0, 1, 0) AS is_now,
        if(weight < 0, 1, 0) AS is_rolled_up
    FROM dirty
    UNION ALL
    SELECT
        project_id,
        value,
        1 AS is_visitor,
        visitor AS who,
        if(weight > 0, 1, 0) AS is_now,
        if(weight < 0, 1, 0) AS is_rolled_up
    FROM dirty
    UNION ALL
    SELECT project_id, value, 1 AS is_visitor, visitor AS who, 1 AS is_now, 1 AS is_rolled_up
    FROM known
) AS visits
GROUP BY project_id, value, is_visitor, who
