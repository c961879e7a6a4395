-- The values of a field with how often they occur. Fields of the session count sessions under their first touch, fields
-- of the event count events.

-- name: clean
SELECT r.value AS value, r.sessions AS n
FROM rollups AS r {r:InScope}
WHERE {r:CleanDays} AND r.dimension = {dimension:String}

-- name: dirty
SELECT {value:Expression} AS value, v.weight AS n
FROM open_sessions AS v {v:InScope}
WHERE {v:DirtyWindow}
    AND v.is_first
    AND {bots:Condition}

-- name: of_sessions
SELECT {value:Expression} AS value, 1 AS n
FROM sessions AS v {v:InScope}
WHERE {v:KeptWindow}
    AND v.is_first
    AND {bots:Condition}

-- name: of_events
SELECT {value:Expression} AS value, 1 AS n
FROM events AS v {v:InScope}
WHERE {v:KeptWindow}
    AND {bots:Condition}

-- name: filtered_sessions
SELECT {value:Expression} AS value, 1 AS n
FROM sessions AS v {v:InScope}
WHERE {v:KeptWindow}
    AND v.is_first
    AND {bots:Condition}
    AND {session_filter:Condition}
    AND {is_matching:Condition}

-- name: chosen
-- Sessions that match the session filters.
SELECT v.project_id AS project_id, v.session AS session
FROM sessions AS v
WHERE {v:Window}
    AND v.is_first
    AND {session_filter:Condition}

-- name: filtered_events
SELECT {value:Expression} AS value, 1 AS n
FROM events AS e {e:InScope}
WHERE {e:KeptWindow}
    AND {bots:Condition}
    AND {event_filter:Condition}
    AND {is_chosen:Condition}

-- name: clean_events
-- Rollups have a dimension for each type, `event <type>`.
SELECT {rolled_up:Expression} AS value, r.hits AS n
FROM rollups AS r {r:InScope}
WHERE {r:CleanDays} AND r.dimension >= 'event ' AND r.dimension < 'event!'

-- name: dirty_events
SELECT {value:Expression} AS value, 1 AS n
FROM open_events AS v {v:InScope}
WHERE {v:DirtyWindow}

-- name: events_from_rollups
SELECT value, n FROM clean_events
UNION ALL
SELECT value, n FROM dirty_events

-- name: from_rollups
SELECT value, n FROM clean
UNION ALL
SELECT value, n FROM dirty

-- name: answer
SELECT value, sum(n) AS value_count
FROM {found:Relation}
WHERE value != '' AND position(lowerUTF8({search:String}) IN lowerUTF8(value)) > 0
    AND startsWith(lowerUTF8(value), lowerUTF8({prefix:String}))
GROUP BY value
HAVING sum(n) > 0
ORDER BY value_count DESC, value
LIMIT {limit:UInt32}
