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
FROM sessions AS v {v:InScope}
WHERE {v:KeptWindow}
    AND {bots:Condition}
    AND {session_filter:Condition}

-- name: chosen_by_events
SELECT project_id, session, value, visitor, visit_hits, visit_sessions
FROM chosen
WHERE (project_id, session) IN (SELECT project_id, session FROM matching)

-- name: counts
SELECT project_id, value, sum(visit_hits) AS hits, sum(visit_sessions) AS sessions, uniqExact(visitor) AS visitors
FROM {chosen:Relation}
WHERE {kept:Condition}
GROUP BY project_id, value
