-- As top_sources.sql, over the sessions that match the filters.

-- name: chosen
-- Sessions that match the session filters.
SELECT
    v.project_id AS project_id,
    v.session AS session,
    {value:Expression} AS value,
    v.visitor AS visitor,
    v.hits AS visit_hits,
    if(v.is_first, 1, 0) AS visit_sessions
FROM sessions AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN {projects:Array(String)}
    AND v.day BETWEEN {first_day:Date} AND {last_day:Date}
    AND v.day >= s.first_day
    AND {bots:Condition}
    AND {session_filter:Condition}

-- name: matching
-- Sessions with an event that matches all event filters. The session hash includes the day.
SELECT e.project_id AS project_id, e.session AS session
FROM events AS e
WHERE e.project_id IN {projects:Array(String)}
    AND e.day BETWEEN {first_day:Date} AND {last_day:Date}
    AND {event_filter:Condition}

-- name: chosen_by_events
SELECT project_id, session, value, visitor, visit_hits, visit_sessions
FROM chosen
WHERE (project_id, session) IN (SELECT project_id, session FROM matching)

-- name: counts
SELECT project_id, value, sum(visit_hits) AS hits, sum(visit_sessions) AS sessions, uniqExact(visitor) AS visitors
FROM {chosen:Relation}
WHERE {kept:Condition}
GROUP BY project_id, value
