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
