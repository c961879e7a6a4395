-- As top_lists.sql, over the sessions and events that match the filters.

-- name: chosen
-- Sessions that match the session filters, by the values that they list for each visitor.
SELECT v.project_id AS project_id, v.session AS session, v.visitor AS visitor, arrayJoin({list:Expression}) AS value
FROM sessions AS v {v:InScope}
WHERE {v:KeptWindow}
    AND notEmpty({list:Expression})
    AND {bots:Condition}
    AND {session_filter:Condition}

-- name: chosen_by_events
-- Events with a value that match the event filters, of sessions that match the session filters.
SELECT e.project_id AS project_id, e.session AS session, e.visitor AS visitor, {value:Expression} AS value
FROM events AS e
INNER JOIN
(
    SELECT v.project_id AS project_id, v.day AS day, v.session AS session
    FROM sessions AS v {v:InScope}
    WHERE {v:KeptWindow}
        AND v.is_first
        AND {bots:Condition}
        AND {session_filter:Condition}
) AS chosen ON chosen.project_id = e.project_id AND chosen.day = e.day AND chosen.session = e.session
WHERE {e:Window}
    AND {value:Expression} != ''
    AND {event_filter:Condition}

-- name: counts
SELECT project_id, value, uniqExact(session) AS sessions, uniqExact(visitor) AS visitors
FROM {chosen:Relation}
GROUP BY project_id, value
