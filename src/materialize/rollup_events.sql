-- name: events
-- Events by type and name.
SELECT
    e.project_id AS project_id,
    e.day AS day,
    concat('event ', e.type) AS dimension,
    e.event AS value,
    count() AS hits
FROM {due_events:Relation} AS e
WHERE e.session % {slices:UInt64} = {slice:UInt64} AND {event_counts:Condition}
GROUP BY e.project_id, e.day, e.type, e.event

-- name: left_out
-- The number of events in sessions that the rollups leave out, so that a partition without any other session is known, too.
SELECT
    v.project_id AS project_id,
    v.day AS day,
    'left out' AS dimension,
    v.device AS value,
    sum(v.events) AS hits
FROM {due_sessions:Relation} AS v
WHERE v.session % {slices:UInt64} = {slice:UInt64} AND NOT {session_counts:Condition}
GROUP BY v.project_id, v.day, v.device
