-- Events that match the filters, for reports that count single events. `value` is a column of the session's first touch.

-- name: chosen
-- Sessions that match the session filters.
SELECT v.project_id AS project_id, v.session AS session, {value:Expression} AS value
FROM sessions AS v
INNER JOIN scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN {projects:Array(String)}
    AND v.day BETWEEN {first_day:Date} AND {last_day:Date}
    AND v.day >= s.first_day
    AND v.is_first
    AND {bots:Condition}
    AND {session_filter:Condition}

-- name: passed
-- Their events that match the event filters. The session hash includes the day.
SELECT
    e.project_id AS project_id,
    e.day AS day,
    toUnixTimestamp64Milli(e.timestamp) AS at_ms,
    e.session AS session,
    e.type AS type,
    e.event AS event,
    c.value AS value
FROM events AS e
INNER JOIN chosen AS c ON c.project_id = e.project_id AND c.session = e.session
WHERE e.project_id IN {projects:Array(String)}
    AND e.day BETWEEN {first_day:Date} AND {last_day:Date}
    AND {event_filter:Condition}

-- name: passed_alone
-- As `passed`, where nothing is asked about sessions.
SELECT
    e.project_id AS project_id,
    e.day AS day,
    toUnixTimestamp64Milli(e.timestamp) AS at_ms,
    e.session AS session,
    e.type AS type,
    e.event AS event,
    '' AS value
FROM events AS e
INNER JOIN scope AS s ON s.project_id = e.project_id
WHERE e.project_id IN {projects:Array(String)}
    AND e.day BETWEEN {first_day:Date} AND {last_day:Date}
    AND e.day >= s.first_day
    AND {read:Condition}
    AND {event_filter:Condition}
