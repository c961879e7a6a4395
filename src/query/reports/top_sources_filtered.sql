-- The same over the sessions that meet the filters.

-- name: chosen
-- Those that the filters on sessions leave.
SELECT v.project_id AS project_id, v.session AS session, {value:Expression} AS value, v.visitor AS visitor, v.hits AS visit_hits, if(v.is_first, 1, 0) AS visit_sessions
FROM sessions AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN {projects:Array(String)}
    AND v.day BETWEEN {first_day:Date} AND {last_day:Date}
    AND v.day >= s.first_day
    AND {bots:Condition}
    AND {session_filter:Condition}

-- name: matching
-- Sessions of which an event meets all filters on events. The hash of a session has its day in it.
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
GROUP BY project_id, value
