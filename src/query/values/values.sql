-- The values of a field with how often they occur. Fields of the session count sessions under their first touch, fields
-- of the event count events.

-- name: clean
SELECT r.value AS value, r.sessions AS n
FROM rollups AS r
INNER JOIN scope AS s ON s.project_id = r.project_id
WHERE r.project_id IN {projects:Array(String)}
    AND r.dimension = {dimension:String}
    AND r.day BETWEEN {first_day:Date} AND {last_day:Date}
    AND r.day >= s.first_day
    AND r.day < s.dirty_from

-- name: dirty
SELECT {value:Expression} AS value, 1 AS n
FROM sessions AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN {projects:Array(String)}
    AND v.day BETWEEN {first_day:Date} AND {last_day:Date}
    AND v.day >= s.first_day
    AND v.day >= s.dirty_from
    AND v.is_first

-- name: of_sessions
SELECT {value:Expression} AS value, 1 AS n
FROM sessions AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN {projects:Array(String)}
    AND v.day BETWEEN {first_day:Date} AND {last_day:Date}
    AND v.day >= s.first_day
    AND v.is_first
    AND {bots:Condition}

-- name: of_events
SELECT {value:Expression} AS value, 1 AS n
FROM events AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN {projects:Array(String)}
    AND v.day BETWEEN {first_day:Date} AND {last_day:Date}
    AND v.day >= s.first_day
    AND {bots:Condition}

-- name: clean_events
-- Rollups have a dimension for each type, `event <type>`.
SELECT {rolled_up:Expression} AS value, r.hits AS n
FROM rollups AS r
INNER JOIN scope AS s ON s.project_id = r.project_id
WHERE r.project_id IN {projects:Array(String)}
    AND startsWith(r.dimension, 'event ')
    AND r.day BETWEEN {first_day:Date} AND {last_day:Date}
    AND r.day >= s.first_day
    AND r.day < s.dirty_from

-- name: dirty_events
SELECT {value:Expression} AS value, 1 AS n
FROM events AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN {projects:Array(String)}
    AND v.day BETWEEN {first_day:Date} AND {last_day:Date}
    AND v.day >= s.first_day
    AND v.day >= s.dirty_from

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
ORDER BY value_count DESC, value
LIMIT {limit:UInt32}
